#!/bin/sh
# expect_exit.sh CODE COMMAND...: fails unless the command ends with exactly this code; a crash is no violation found.
expected="$1"
shift
"$@"
code=$?
if [ "$code" -ne "$expected" ]; then
  echo "ended with $code, not $expected" >&2
  exit 1
fi
