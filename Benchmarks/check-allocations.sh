#!/usr/bin/env bash
# Counts with valgrind the allocations of N and of 2 N dispatches. Both counts must be equal, because a dispatch
# allocates nothing. Does the same for retries and a closed circuit around an operation that succeeds at once.
# Then counts the allocations of typical handlers: one created for a single error, one with an asynchronous action, and
# the one that writes the preset's line.
# Finally counts the allocations of N and of 2 N posts: at most one per post, in addition to Swift's box for the error.
set -euo pipefail
cd "$(dirname "$0")"

command -v valgrind >/dev/null || { echo "check-allocations: valgrind is not installed" >&2; exit 69; }
swift build -c release --product dispatch-allocations >&2
swift build -c release --product instructions >&2
swift build -c release --product recovery-allocations >&2
swift build -c release --product post-allocations >&2
programs=$(swift build -c release --show-bin-path)

# Prints the number of allocations; fails if valgrind prints none.
allocations() {
    valgrind "$programs/$1" "${@:2}" 2>&1 | sed -n 's/.*total heap usage: \([0-9,]*\) allocs.*/\1/p' | tr -d , | grep .
}

# Counts N operations, and 2 N on another core at the same time; sets `one` and `two`.
count() {
    local operations=$1
    shift
    exec 3< <(allocations "${@/COUNT/$operations}")
    two=$(allocations "${@/COUNT/$((2 * operations))}")
    read -r one <&3
}

# Counts N operations and 2 N, which must not allocate. Counts up to three times: two runs can differ at random, because a
# thread of the runtime allocates, but an operation that allocates does so in each run.
check_none() {
    for _ in 1 2 3; do
        count "$n" "$1" COUNT
        echo "$n times $2: $one allocations; $((2 * n)) times: $two; more: $((two - one))"
        [ "$two" -gt "$one" ] || return 0
    done
    echo "FAILED: $3"
    failures=1
}

n=${1:-2000}
failures=0
check_none dispatch-allocations "six dispatches" "a dispatch allocates"
check_none recovery-allocations "four operations that succeed" "a retry or a closed circuit allocates"

# Prints the allocations of one operation, and their limit.
while IFS='|' read -r name rules most; do
    count 500 instructions "$name" "$rules" COUNT
    echo "$name, $rules rules: $(((two - one + 250) / 500)) allocations, at most $most"
    # Allow half an allocation more, because two runs can differ at random.
    [ $((two - one)) -le $((500 * most + 250)) ] || { echo "FAILED: $name allocates more"; failures=1; }
done <<LIST
preset, asynchronous action|11|0
a preset customized and used once|11|10
a preset with onNoMatch customized and used once|11|10
the preset's line|10|45
LIST

# Allow one percent more, because storage grows at times and two runs can differ at random.
most=$((2 * n + n / 100))

check_posts() {
    count "$n" post-allocations COUNT "${@:2}"
    echo "$n $1: $one allocations; $((2 * n)): $two; more: $((two - one)), at most $most"
    [ $((two - one)) -le "$most" ] || { echo "FAILED: more than one for each beside the error's box"; failures=1; }
}

check_posts "posts"
check_posts "posts, delivered" deliver
exit "$failures"
