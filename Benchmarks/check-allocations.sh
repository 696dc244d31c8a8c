#!/usr/bin/env bash
# Counts with valgrind what N and 2 N dispatches allocate: a dispatch allocates nothing, so both counts are the same.
# The same for retries and a closed circuit, where the operation succeeds at once.
# Then what N and 2 N posts allocate: at most one allocation for each, beside the box that Swift makes for the error.
set -euo pipefail
cd "$(dirname "$0")"

command -v valgrind >/dev/null || { echo "check-allocations: valgrind is not installed" >&2; exit 69; }
swift build -c release --product dispatch-allocations >&2
swift build -c release --product recovery-allocations >&2
swift build -c release --product post-allocations >&2
programs=$(swift build -c release --show-bin-path)

# Fails where valgrind says nothing.
allocations() {
    valgrind "$programs/$1" "${@:2}" 2>&1 | sed -n 's/.*total heap usage: \([0-9,]*\) allocs.*/\1/p' | tr -d , | grep .
}

n=${1:-2000}
failures=0

one=$(allocations dispatch-allocations "$n")
two=$(allocations dispatch-allocations $((2 * n)))
echo "$n times six dispatches: $one allocations; $((2 * n)) times: $two; more: $((two - one))"
[ "$two" -le "$one" ] || { echo "FAILED: a dispatch allocates"; failures=1; }

one=$(allocations recovery-allocations "$n")
two=$(allocations recovery-allocations $((2 * n)))
echo "$n times four operations that succeed: $one allocations; $((2 * n)) times: $two; more: $((two - one))"
[ "$two" -le "$one" ] || { echo "FAILED: a retry or a closed circuit allocates"; failures=1; }

# A hundredth more, for storage that grows now and then, and for what the second run does otherwise by chance.
most=$((2 * n + n / 100))

check_posts() {
    local one two
    one=$(allocations post-allocations "$n" "${@:2}")
    two=$(allocations post-allocations $((2 * n)) "${@:2}")
    echo "$n $1: $one allocations; $((2 * n)): $two; more: $((two - one)), at most $most"
    [ $((two - one)) -le "$most" ] || { echo "FAILED: more than one for each beside the error's box"; failures=1; }
}

check_posts "posts"
check_posts "posts, delivered" deliver
exit "$failures"
