"""Holds the rules of the code that a compiler does not: `ci/tidy` judges the tree, `ci/tidy --self-test` the rules.

Every complaint is `file:line: [rule] what is wrong; what to do instead`. A rule is a function over one File that yields
(line, rule, message); tidy_cases.py shows for each one a snippet it must reject, with the exact words, and one it must
leave alone.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Folder -> folders whose files it may include, beside its own.
BELOW_HARNESS = {"spec", "histories", "sim", "impl"}
LAYERS = {
    "spec": set(),
    "histories": {"spec"},
    "sim": {"spec"},
    "impl": {"spec"},
    "harness": BELOW_HARNESS,
    "cli": BELOW_HARNESS | {"harness"},
    "properties": BELOW_HARNESS | {"harness"},
    "fuzz": BELOW_HARNESS | {"harness"},
    "bench": BELOW_HARNESS | {"harness"},
    "app": BELOW_HARNESS | {"harness", "cli", "bench"},
    "examples": BELOW_HARNESS | {"harness", "cli", "properties", "fuzz", "bench"},
}

DECISION_FOLDERS = BELOW_HARNESS | {"harness"}
# Talks to real processes: clocks and threads are its work.
NOT_DECISION_CODE = "harness/adapters/external_process"

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 400
# Tables of data, written as code: no limit on the file nor on its functions.
DATA_TABLES = {"impl/mutant.cpp", "spec/clauses.cpp"}

# In decision code: rule, folders, pattern, message, and the comment, or comments, of which one on the line lifts the rule.
BANS = [
    ("clock", DECISION_FOLDERS,
     r"\b(system_clock|steady_clock|high_resolution_clock|clock_gettime|gettimeofday|time\s*\(\s*(nullptr|NULL|0)\s*\))",
     "a wall clock decides here; take `now` as an argument. A budget alone may read it: say `// clock: budget only`",
     "clock: budget only"),
    ("sleep", DECISION_FOLDERS, r"\b(sleep_for|sleep_until|usleep|nanosleep|sleep\s*\()",
     "real waiting; ask for a timer in the outputs and let virtual time pass", None),
    ("thread", DECISION_FOLDERS, r"\bstd::(thread|jthread|async)\b|\bpthread_create\b|#\s*include\s*<thread>",
     "a thread makes the order of events arbitrary; return outputs and let the event queue order them. Where nothing "
     "that comes out depends on it, say `// threads: no result depends on their order`",
     "threads: no result depends on their order"),
    ("environment", DECISION_FOLDERS, r"\b(secure_)?getenv\b",
     "the environment decides here; take the value as an argument and read it in cli/. Where it says only how long a "
     "test runs, say `// environment: length of a test`", "environment: length of a test"),
    ("random", DECISION_FOLDERS,
     r"\bs?rand\s*\(|#\s*include\s*<random>|\bstd::(mt19937|minstd_rand|random_device|default_random_engine|\w+_distribution)",
     "randomness of the library, different on each platform; draw it with Choices::below(n, label)", None),
    ("shuffle", DECISION_FOLDERS, r"\b(std::)?(shuffle|random_shuffle|std::sample)\s*\(",
     "the order depends on the library; draw each position with Choices::below(n, label)", None),
    ("hash", DECISION_FOLDERS, r"\bstd::hash\b",
     "std::hash is the library's business and may change; use a hash of ours. For a container that is only looked up "
     "in, say `// order: never iterated`", "order: never iterated"),
    ("unordered", DECISION_FOLDERS, r"\bunordered_(map|set|multimap|multiset)\s*<",
     "iterating this has no defined order; use std::map, or a sorted vector. If it is only looked up in, say "
     "`// order: never iterated`", "order: never iterated"),
    ("address", DECISION_FOLDERS, r"\buintptr_t\b",
     "an address decides here, and differs in every run; order and hash by id", None),
    ("float", {"sim", "impl"}, r"\b(float|double)\b",
     "floating point differs between compilers; use a ratio of integers. For a figure that is only printed, say "
     "`// float: printed only`, and for what a foreign convention computes so `// float: the convention's own arithmetic`",
     ("float: printed only", "float: the convention's own arithmetic")),
    ("assert", set(LAYERS), r"#\s*include\s*<cassert>|(?<![\w.])assert\s*\(",
     "assert() is gone in release builds; use SHARDCHECK_ASSERT (spec/assert.h)", None),
]


class File:
    """One source file: its path from the root, its lines, and its lines with comments and literals blanked out."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.split("\n")
        self.folder = path.split("/")[0]
        self.is_test = path.endswith("_test.cpp")
        self.code = scrub(text, keep_comments=False)
        self.code_lines = self.code.split("\n")
        self.prose_lines = scrub(text, keep_comments=True).split("\n")


TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
      | (?P<include>^[ \t]*\#[ \t]*include[^\n]*)
      | (?P<number>\b\d[\w']*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<character>'(?:[^'\\\n]|\\.)+')""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)


def scrub(text, keep_comments):
    """The text with literals (and comments) replaced by blanks, line breaks kept."""

    def blank(match):
        if match.lastgroup in ("include", "number") or (keep_comments and match.lastgroup == "comment"):
            return match.group()
        return re.sub(r"[^\n]", " ", match.group())

    return TOKENS.sub(blank, text)


def check_includes(file):
    allowed = LAYERS[file.folder] | {file.folder}
    for number, line in enumerate(file.lines, 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not match:
            continue
        quote, target = match.groups()
        layer = target.split("/")[0]
        if quote == "<":
            if layer in LAYERS and "/" in target:
                yield number, "include", f'<{target}> is ours; write "{target}"'
            continue
        if "/" not in target or layer not in LAYERS:
            yield number, "include", f'"{target}" does not start at the root; write "folder/{os.path.basename(target)}"'
        elif layer not in allowed:
            may = ", ".join(sorted(allowed))
            yield (number, "layer", f"{file.folder}/ may not include {layer}/, only {may}; move what both need down, or "
                   "pass it in from above")


def check_header(file):
    if not file.path.endswith(".h"):
        return
    if not file.lines[0].startswith("// "):
        yield 1, "header", "the first line of a header says what it is for; start with `// `, a sentence"
    if "#pragma once" not in file.code_lines:
        yield 1, "header", "a header is read once; add `#pragma once` after the first comment"


def check_bans(file):
    if file.path.startswith(NOT_DECISION_CODE):
        return
    for rule, folders, pattern, message, waiver in BANS:
        if file.folder not in folders:
            continue
        waivers = (waiver,) if isinstance(waiver, str) else waiver or ()
        for number, line in enumerate(file.code_lines, 1):
            if re.search(pattern, line) and not any(each in file.lines[number - 1] for each in waivers):
                yield number, rule, message


def check_words(file):
    for number, line in enumerate(file.prose_lines, 1):
        if re.search(r"migrat", line, re.IGNORECASE):
            yield number, "word", "one word per idea: a range is moved, by a move; write `move`"
        if re.search(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))", line):
            yield number, "todo", "a TODO needs the issue that owns it; write `TODO(#12): ...`, or do it now"


def check_lengths(file):
    if file.path in DATA_TABLES:
        return
    count = len(file.lines) - (file.lines[-1] == "")
    if count > FILE_LINES_MAX:
        yield FILE_LINES_MAX + 1, "file", f"{count} lines, {FILE_LINES_MAX} at most; split the file after its types"
    if file.is_test:
        return
    for first, last, name in functions(file.code):
        if last - first + 1 > FUNCTION_LINES_MAX:
            yield (first, "function", f"{name} has {last - first + 1} lines, {FUNCTION_LINES_MAX} at most; give its parts "
                   "names and make them functions")


NOT_FUNCTION = re.compile(r"^(template\s*<.*>\s*)?(namespace|class|struct|union|enum|extern)\b(?!.*\)\s*(const|noexcept)?$)")


def functions(code):
    """(first line, last line, name) of every function body that stands in a namespace or a class."""
    code = re.sub(r"(?m)^[ \t]*#.*$", lambda match: " " * len(match.group()), code)
    open_blocks = []  # (is it a namespace or class, first line or None, name)
    header_start = 0
    line = 1
    for position, character in enumerate(code):
        if character == "\n":
            line += 1
        elif character in ";{}":
            header = re.sub(r"^((public|protected|private)\s*:\s*)+", "", code[header_start:position].strip())
            inside_function = any(not is_scope for is_scope, _, _ in open_blocks)
            if character == "{":
                is_scope = bool(NOT_FUNCTION.match(header))
                is_function = not is_scope and not inside_function and ("(" in header or header == "")
                first = line - code[header_start:position].lstrip().count("\n")
                name = re.search(r"([\w:~]+|operator\S+)\s*\(", header)
                open_blocks.append((is_scope, first if is_function else None, name.group(1) if name else "this block"))
            elif character == "}" and open_blocks:
                _, first, name = open_blocks.pop()
                if first is not None:
                    yield first, line, name
            header_start = position + 1


RULES = [check_includes, check_header, check_bans, check_words, check_lengths]


def complaints(path, text):
    file = File(path, text)
    found = [(number, rule, message) for check in RULES for number, rule, message in check(file)]
    return [f"{path}:{number}: [{rule}] {message}" for number, rule, message in sorted(found)]


def sources():
    paths = []
    for folder in sorted(LAYERS):
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            paths += [os.path.join(where, name) for name in names if name.endswith((".h", ".cpp"))]
    return sorted(os.path.relpath(path, ROOT) for path in paths)


def format_complaints(paths):
    """What clang-format would change, one line a place."""

    def run(chunk):
        command = ["clang-format-19", "--dry-run", "-Werror", "--fno-color-diagnostics"] + chunk
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        places = re.findall(r"^(\S+:\d+):\d+: error: ", done.stderr, re.MULTILINE)
        if done.returncode != 0 and not places:
            places = [done.stderr.strip() or f"clang-format-19 ended with {done.returncode}"]
        return [f"{place}: [format] not formatted; run clang-format-19 -i {place.split(':')[0]}" for place in places]

    chunks = [paths[start:start + 20] for start in range(0, len(paths), 20)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(run, chunks) for line in dict.fromkeys(lines)]


def main(arguments):
    if arguments == ["--self-test"]:
        import tidy_cases
        return tidy_cases.run(complaints, [rule for rule, *_ in BANS])
    if arguments:
        print("usage: ci/tidy [--self-test]", file=sys.stderr)
        return 3
    paths = sources()
    found = []
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
            found += complaints(path, stream.read())
    found += format_complaints(paths)
    for line in found:
        print(line)
    print(f"{len(paths)} files, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main(sys.argv[1:]))
