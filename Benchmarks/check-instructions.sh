#!/usr/bin/env bash
# Counts with valgrind the instructions of one operation of each kind: the difference between 2 N and N operations, over
# N. Unlike times, these counts hardly differ from run to run, so they show the cost of a change.
#
#   check-instructions.sh            prints the counts, and fails if one is 5 % above its threshold
#   check-instructions.sh --update   writes the counts as the new thresholds
#
# Thresholds are for one compiler version and one architecture: Results/instructions-VERSION-ARCHITECTURE.txt. Without
# such a file, the script prints the counts and doesn't fail. Other implementations have no thresholds.
set -euo pipefail
cd "$(dirname "$0")"

command -v valgrind >/dev/null || { echo "check-instructions: valgrind is not installed" >&2; exit 69; }
swift build -c release --product instructions >&2
program=$(swift build -c release --show-bin-path)/instructions
version=$(swift --version 2>/dev/null | grep --only-matching -E "Swift version [0-9.]+" | cut -d " " -f 3)
thresholds="Results/instructions-$version-$(uname -m).txt"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mapfile -t rows <<LIST
match by type|64
miss|64
match by value|1
match by value|8
match by NSError|8
match by domain|1
match by domain|1000
match by type, built at once|4000
match by type, used after each rule|4000
match by superclass|8
error map|64
always alone|1
asynchronous action|1
switch, 8th case|8
switch, 4th case|4
a preset customized and used once|11
a preset with onNoMatch customized and used once|11
a preset with onNoMatch customized and used twice|11
a preset customized by a type and used once|11
a preset customized by an enum's value and used once|11
a preset customized by a struct's value and used once|11
a preset customized by an Equatable value and used once|11
a preset customized by a domain and used once|11
a preset customized by a domain and used once, for another error|11
a list of closures customized and used once|11
rules built and used once|10
a list of closures built and used once|10
preset, by type|10
list of closures, by type|10
preset, miss|10
list of closures, miss|10
preset, below another block|20
preset, below two blocks|28
preset, the eighth of ten types|10
switch over ten types, the eighth|10
preset and a log call, the eighth of ten types|10
switch over ten types and a log call, the eighth|10
preset and logging|10
preset and logging, action with report|11
preset, asynchronous action|11
predicates|1
list of closures, predicates|1
predicates|10
list of closures, predicates|10
predicates|100
list of closures, predicates|100
the preset's line|10
a rule among as many for other codes|1
a rule among as many for other values|1
an asynchronous rule among as many that match|1
making a scope without rules|1
making a scope with one rule|1
withErrorScope|1
TaskLocal.withValue|1
posting and delivering|8
bus, a flood limit|8
bus, suppressed by a flood limit|8
bus, preset|8
bus, preset and logging|8
bus, preset, action with report|8
bus, a scope whose rule matches|8
bus, a scope whose rules do not match|8
handing over a report|1
a recorded line|1
a replayed line, its verdict kept|8
a replayed line, its value new|8
LIST

# Prints the number of instructions, with the same hashes in every run; fails if the program fails or prints no number.
# Without a limit on its caches, `malloc` never merges freed memory, which it does once in some runs and not in others.
instructions() {
    local log
    log=$(mktemp -p "$folder")
    SWIFT_DETERMINISTIC_HASHING=1 GLIBC_TUNABLES=glibc.malloc.tcache_count=65535 \
        valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$log" \
        "$program" "$@" >/dev/null 2>&1 || { echo "FAILED: instructions $*" >&2; return 1; }
    # The program itself writes to standard error, for the preset's line.
    sed -n 's/.*I *refs: *\([0-9,]*\).*/\1/p' "$log" | tr -d , | grep .
}

# Prints a row with its count and its threshold, if any.
count_row() {
    set -euo pipefail
    local name=${1%|*} rules=${1##*|} n=2000 count= most one two
    # What it takes to create so many rules differs from run to run.
    [ "$rules" -lt 4000 ] || n=100000
    most=$(grep "^$1|" "$thresholds" 2>/dev/null | cut -d '|' -f 3 || true)
    # What this package is compared with cannot become dearer by a change of it.
    case $name in *"list of closures"* | switch* | TaskLocal*) most= ;; esac
    # The least of up to three counts: other threads of the runtime can only add instructions.
    for _ in 1 2 3; do
        one=$(instructions "$name" "$rules" "$n")
        two=$(instructions "$name" "$rules" $((2 * n)))
        [ -n "$count" ] && [ $(((two - one) / n)) -ge "$count" ] || count=$(((two - one) / n))
        [ -n "$most" ] && [ $((count * 100)) -gt $((most * 105)) ] || break
    done
    echo "$1|$count|$most"
}

# Run as many rows at once as there are cores, because other processes don't change the counts.
export program thresholds folder
export -f instructions count_row
printf '%s\n' "${rows[@]}" | xargs -d '\n' -n 1 -P "$(nproc)" bash -c 'count_row "$1" > "$folder/$1"' --

failures=0
for row in "${rows[@]}"; do
    IFS='|' read -r name rules count most < "$folder/$row"
    echo "$row|$count" >> "$folder/counts"
    printf '%6d  %s, %s rules' "$count" "$name" "$rules"
    [ -z "$most" ] || printf ' (threshold %d)' "$most"
    if [ -n "$most" ] && [ $((count * 100)) -gt $((most * 105)) ]; then
        printf '  FAILED: %d %% dearer' $((count * 100 / most - 100))
        failures=1
    fi
    echo
done
if [ "${1:-}" = --update ]; then
    cp "$folder/counts" "$thresholds"
    echo "written down in Benchmarks/$thresholds"
    exit 0
fi
[ -e "$thresholds" ] || echo "no thresholds for Swift $version on $(uname -m): nothing is compared"
exit "$failures"
