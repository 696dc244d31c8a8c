#!/usr/bin/env bash
# Compares creating and handling an error of the eighth of eight types with Boost.LEAF in C++, in nanoseconds. The two
# programs alternate. Skipped with a message if LEAF's header (Debian: libboost1.81-dev) or a C++ compiler is missing.
set -euo pipefail
cd "$(dirname "$0")"

compiler=$(command -v g++ || command -v clang++ || true)
[ -n "$compiler" ] || { echo "compare-leaf: skipped, there is no C++ compiler"; exit 0; }
if ! echo "#include <boost/leaf.hpp>" | "$compiler" -std=c++17 -fsyntax-only -x c++ - 2>/dev/null; then
    echo "compare-leaf: skipped, there is no boost/leaf.hpp (Debian's package libboost1.81-dev has it)"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$compiler" -std=c++17 -O2 -DNDEBUG -fno-exceptions -o "$folder/leaf" Leaf/leaf.cpp
swift build -c release --product instructions >&2
program=$(swift build -c release --show-bin-path)/instructions

median() { sort -n | awk '{ values[NR] = $1 } END { print values[int((NR + 1) / 2)] }'; }

for _ in $(seq "${1:-15}"); do
    "$folder/leaf" 2000000 >> "$folder/leaf.ns"
    "$program" "create and handle, the eighth type" 8 1000000 >> "$folder/bus.ns"
    "$program" "create an error" 1 1000000 >> "$folder/box.ns"
done
leaf=$(median < "$folder/leaf.ns")
bus=$(median < "$folder/bus.ns")
box=$(median < "$folder/box.ns")
awk -v leaf="$leaf" -v bus="$bus" -v box="$box" 'BEGIN {
    printf "create and handle to the 8th type: Boost.LEAF %.1f ns, ErrorRouting %.1f ns, ratio %.2f (goal: 4)\n",
        leaf, bus, bus / leaf
    printf "of which the error in its box, made and freed, takes %.1f ns, %.2f of all that LEAF does\n", box, box / leaf
    exit bus / leaf <= 4 ? 0 : 1
}'
