# Runs PROGRAM with FLAG and fails unless it ends with exactly the exit code EXPECTED: a crash is no violation found.
execute_process(COMMAND ${PROGRAM} ${FLAG} RESULT_VARIABLE code OUTPUT_VARIABLE text)
message("${text}")
if(NOT code STREQUAL EXPECTED)
  message(FATAL_ERROR "ended with ${code}, not ${EXPECTED}")
endif()
