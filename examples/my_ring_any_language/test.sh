#!/bin/sh
# test.sh SHARDCHECK LANGUAGE: puts the example of this language under the laws; 77 when its interpreter is not there.
here="$(dirname "$0")"
case "$2" in
  python) needed=python3 command="python3 $here/my_ring.py" ;;
  javascript) needed=node command="node $here/my_ring.js" ;;
  go) needed=go ;;
esac
if ! command -v "$needed" >/dev/null 2>&1; then
  echo "skipped: there is no $needed"
  exit 77
fi
if [ "$2" = go ]; then
  folder="$(mktemp -d)"
  trap 'rm -rf "$folder"' EXIT
  GOCACHE="$folder/cache" GO111MODULE=off go build -o "$folder/my_ring" "$here/my_ring.go" || exit 3
  command="$folder/my_ring"
fi
"$1" placement --exec "$command" --cases 20 --timeout 60s
