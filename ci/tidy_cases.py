"""The self-test of tidy.py: what each rule must reject, with the exact complaint, and what it must leave alone."""

CLOCK = ("a wall clock decides here; take `now` as an argument. A budget alone may read it: say `// clock: budget only`")
SLEEP = "real waiting; ask for a timer in the outputs and let virtual time pass"
THREAD = ("a thread makes the order of events arbitrary; return outputs and let the event queue order them. Where nothing that "
          "comes out depends on it, say `// threads: no result depends on their order`")
ENVIRONMENT = ("the environment decides here; take the value as an argument and read it in cli/. Where it says only how long a "
               "test runs, say `// environment: length of a test`")
RANDOM = "randomness of the library, different on each platform; draw it with Choices::below(n, label)"
SHUFFLE = "the order depends on the library; draw each position with Choices::below(n, label)"
HASH = ("std::hash is the library's business and may change; use a hash of ours. For a container that is only looked up in, "
        "say `// order: never iterated`")
UNORDERED = ("iterating this has no defined order; use std::map, or a sorted vector. If it is only looked up in, say "
             "`// order: never iterated`")
ADDRESS = "an address decides here, and differs in every run; order and hash by id"
FLOAT = ("floating point differs between compilers; use a ratio of integers. For a figure that is only printed, say "
         "`// float: printed only`, and for what a foreign convention computes so `// float: the convention's own arithmetic`")
ASSERT = "assert() is gone in release builds; use SHARDCHECK_ASSERT (spec/assert.h)"
WORD = "one word per idea: a range is moved, by a move; write `move`"
TODO = "a TODO needs the issue that owns it; write `TODO(#12): ...`, or do it now"

LONG_BODY = "  step();\n" * 69
LONGER_BODY = "  step();\n" * 70

# (path, text, complaints it must raise, all of them and no others)
CASES = [
    # Layers and includes.
    ("sim/world.cpp", '#include "impl/lease.h"\n',
     ["sim/world.cpp:1: [layer] sim/ may not include impl/, only sim, spec; move what both need down, or pass it in from "
      "above"]),
    ("impl/lease.cpp", '\n#include "sim/world.h"\n',
     ["impl/lease.cpp:2: [layer] impl/ may not include sim/, only impl, spec; move what both need down, or pass it in from "
      "above"]),
    ("histories/check.cpp", '#include "impl/lease.h"\n',
     ["histories/check.cpp:1: [layer] histories/ may not include impl/, only histories, spec; move what both need down, or "
      "pass it in from above"]),
    ("spec/key.cpp", '#include "sim/world.h"\n',
     ["spec/key.cpp:1: [layer] spec/ may not include sim/, only spec; move what both need down, or pass it in from above"]),
    ("cli/check.cpp", '#include "bench/measure.h"\n',
     ["cli/check.cpp:1: [layer] cli/ may not include bench/, only cli, harness, histories, impl, sim, spec; move what both "
      "need down, or pass it in from above"]),
    ("app/main.cpp", '#include "bench/measure.h"\n#include "cli/run.h"\n', []),
    ("harness/runner.cpp", '#include "sim/world.h"\n#include "impl/lease.h"\n#include "histories/check.h"\n', []),
    ("impl/lease.cpp", '#include "lease.h"\n',
     ['impl/lease.cpp:1: [include] "lease.h" does not start at the root; write "folder/lease.h"']),
    ("impl/lease.cpp", '#include "../spec/types.h"\n',
     ['impl/lease.cpp:1: [include] "../spec/types.h" does not start at the root; write "folder/types.h"']),
    ("impl/lease.cpp", "#include <spec/types.h>\n",
     ['impl/lease.cpp:1: [include] <spec/types.h> is ours; write "spec/types.h"']),
    # Headers.
    ("spec/a.h", "// What it is for.\n#pragma once\n", []),
    ("spec/a.h", "#pragma once\n",
     ["spec/a.h:1: [header] the first line of a header says what it is for; start with `// `, a sentence"]),
    ("spec/a.h", "// What it is for.\n// #pragma once\n",
     ["spec/a.h:1: [header] a header is read once; add `#pragma once` after the first comment"]),
    # What may not decide.
    ("impl/a.cpp", "auto t = std::chrono::steady_clock::now();\n", [f"impl/a.cpp:1: [clock] {CLOCK}"]),
    ("impl/a.cpp", "auto t = time(nullptr);\n", [f"impl/a.cpp:1: [clock] {CLOCK}"]),
    ("histories/a.cpp", "auto t = std::chrono::steady_clock::now();  // clock: budget only\n", []),
    ("bench/a.cpp", "auto t = std::chrono::steady_clock::now();\n", []),
    ("harness/a.cpp", "std::this_thread::sleep_for(second);\n", [f"harness/a.cpp:1: [sleep] {SLEEP}"]),
    ("harness/adapters/external_process.cpp", "std::this_thread::sleep_for(second);\nstd::thread reader;\n", []),
    ("sim/a.cpp", "std::thread worker;\n", [f"sim/a.cpp:1: [thread] {THREAD}"]),
    ("sim/a.cpp", '#include <thread>\n', [f"sim/a.cpp:1: [thread] {THREAD}"]),
    ("sim/a.cpp", "#include <thread>  // threads: no result depends on their order\n", []),
    ("sim/a_test.cpp", 'auto n = std::getenv("N");  // environment: length of a test\n', []),
    ("sim/a.cpp", 'auto home = std::getenv("HOME");\n', [f"sim/a.cpp:1: [environment] {ENVIRONMENT}"]),
    ("sim/a.cpp", "int x = rand();\n", [f"sim/a.cpp:1: [random] {RANDOM}"]),
    ("sim/a.cpp", "#include <random>\n", [f"sim/a.cpp:1: [random] {RANDOM}"]),
    ("sim/a.cpp", "std::uniform_int_distribution<int> any(0, 9);\n", [f"sim/a.cpp:1: [random] {RANDOM}"]),
    ("sim/a.cpp", "std::shuffle(a.begin(), a.end(), engine);\n", [f"sim/a.cpp:1: [shuffle] {SHUFFLE}"]),
    ("sim/a.cpp", "int operand(); int strand(int);\nint x = strand(operand());\n", []),
    ("impl/a.cpp", "auto h = std::hash<int>{}(3);\n", [f"impl/a.cpp:1: [hash] {HASH}"]),
    ("impl/a.cpp", "std::unordered_map<int, int> m;\n", [f"impl/a.cpp:1: [unordered] {UNORDERED}"]),
    ("impl/a.cpp", "std::unordered_set<int> s;  // order: never iterated\n#include <unordered_set>\n", []),
    ("impl/a.cpp", "auto a = reinterpret_cast<std::uintptr_t>(p);\n", [f"impl/a.cpp:1: [address] {ADDRESS}"]),
    ("impl/a.cpp", "double share = 0.5;\n", [f"impl/a.cpp:1: [float] {FLOAT}"]),
    ("impl/a.cpp", "double spread = 0.5;  // float: printed only\n", []),
    ("impl/a.cpp", "float part = 1;  // float: the convention's own arithmetic\n", []),
    ("impl/a.cpp", "// float: the convention's own arithmetic\nfloat part = 1;\n", [f"impl/a.cpp:2: [float] {FLOAT}"]),
    ("spec/a.cpp", "double share = 0.5;\n", []),
    ("cli/a.cpp", "#include <cassert>\n", [f"cli/a.cpp:1: [assert] {ASSERT}"]),
    ("cli/a.cpp", "assert(x > 0);\nstatic_assert(true);\nSHARDCHECK_ASSERT(x > 0);\n",
     [f"cli/a.cpp:1: [assert] {ASSERT}"]),
    # Comments and literals are not code.
    ("sim/a.cpp", '// no std::thread here\nauto s = "std::thread";\nauto r = R"(\nstd::thread)";\n/* rand()\n rand() */\n', []),
    ("sim/a.cpp", "auto n = 1'000'000; std::thread t; auto c = '\"'; std::thread u;\n", [f"sim/a.cpp:1: [thread] {THREAD}"]),
    # Words.
    ("impl/a.cpp", "int Migrations = 0;\n", [f"impl/a.cpp:1: [word] {WORD}"]),
    ("impl/a.cpp", "// After the migration.\n", [f"impl/a.cpp:1: [word] {WORD}"]),
    ("impl/a.cpp", 'auto command = "MIGRATE";\n', []),
    ("impl/a.cpp", "// TODO: later\n", [f"impl/a.cpp:1: [todo] {TODO}"]),
    ("impl/a.cpp", "// TODO(#12): when the log is there\n", []),
    # Lengths.
    ("impl/a.cpp", "\n" * 400, []),
    ("impl/a.cpp", "\n" * 401, ["impl/a.cpp:401: [file] 401 lines, 400 at most; split the file after its types"]),
    ("impl/mutant.cpp", "\n" * 401, []),
    ("impl/a.cpp", "void run() {\n" + LONG_BODY[:-10] + "}\n", []),
    ("impl/a.cpp", "void run() {\n" + LONG_BODY + "}\n",
     ["impl/a.cpp:1: [function] run has 71 lines, 70 at most; give its parts names and make them functions"]),
    ("impl/a_test.cpp", "void run() {\n" + LONG_BODY + "}\n", []),
    ("impl/a.cpp",
     "namespace a {\nclass B : public C {\n public:\n  int small() { return 1; }\n  template <class T>\n  int big(T t,\n"
     "          int other) const {\n" + LONGER_BODY + "  }\n};\n}  // namespace a\n",
     ["impl/a.cpp:5: [function] big has 74 lines, 70 at most; give its parts names and make them functions"]),
    ("impl/a.cpp", "const std::vector<int> kTable{\n" + "    1,\n" * 80 + "};\n", []),
]


def run(complaints, banned):
    """Prints each case that ends otherwise than written; 1 when there is one, or when a ban has no case."""
    failures = 0
    for number, (path, text, expected) in enumerate(CASES, 1):
        found = complaints(path, text)
        if found != expected:
            failures += 1
            print(f"case {number}, {path}: {text[:60]!r}\n  expected {expected}\n  found    {found}")
    raised = {line.split("[")[1].split("]")[0] for _, _, expected in CASES for line in expected}
    for rule in sorted(set(banned) - raised):
        failures += 1
        print(f"the ban `{rule}` has no case that it must reject")
    print(f"{len(CASES)} cases, {failures} failures")
    return 1 if failures else 0
