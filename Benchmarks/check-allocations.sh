#!/usr/bin/env bash
# Counts with valgrind what N and 2 N dispatches allocate: a dispatch allocates nothing, so both counts are the same.
set -euo pipefail
cd "$(dirname "$0")"

command -v valgrind >/dev/null || { echo "check-allocations: valgrind is not installed" >&2; exit 69; }
swift build -c release --product dispatch-allocations >&2
program=$(swift build -c release --show-bin-path)/dispatch-allocations

allocations() {
    valgrind "$program" "$1" 2>&1 | sed -n 's/.*total heap usage: \([0-9,]*\) allocs.*/\1/p' | tr -d ,
}

n=${1:-2000}
one=$(allocations "$n")
two=$(allocations $((2 * n)))
echo "$n times six dispatches: $one allocations; $((2 * n)) times: $two; more: $((two - one))"
[ "$two" -le "$one" ]
