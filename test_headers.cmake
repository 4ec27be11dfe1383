# What nearly every test includes, compiled once and not with every test. Off in the release build, which so still shows
# an include that is missing.
option(SHARDCHECK_TEST_HEADERS "Precompile the headers that tests share" OFF)

if(SHARDCHECK_TEST_HEADERS)
  set(test_headers_source ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
  file(WRITE ${test_headers_source}.new "// Nothing but the headers that are precompiled with it.\n")
  file(COPY_FILE ${test_headers_source}.new ${test_headers_source} ONLY_IF_DIFFERENT)
  add_library(shardcheck_test_headers OBJECT ${test_headers_source})
  target_link_libraries(shardcheck_test_headers PRIVATE fmt::fmt GTest::gtest GTest::gmock)
  target_precompile_headers(
    shardcheck_test_headers
    PRIVATE <gmock/gmock.h> <gtest/gtest.h> <fmt/core.h> <fmt/format.h> <algorithm> <array> <cstdint> <deque> <expected>
            <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream> <string> <string_view>
            <tuple> <utility> <variant> <vector>)
  # ccache takes on what is precompiled only if it may trust names and times of files less, and clang writes a time into it
  # unless told otherwise, which would make every build another one.
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
    set_property(TARGET shardcheck_test_headers PROPERTY CXX_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
  set(test_headers_options $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>
                           $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  target_compile_options(shardcheck_test_headers PRIVATE ${test_headers_options})
endif()

# For a program of tests; its other options must be those of all programs.
function(shardcheck_reuse_test_headers name)
  if(SHARDCHECK_TEST_HEADERS)
    target_precompile_headers(${name} REUSE_FROM shardcheck_test_headers)
    target_compile_options(${name} PRIVATE ${test_headers_options})
  endif()
endfunction()
