#!/usr/bin/env bash
# Posts ten million errors (or as many million as the argument says) from several tasks to a bus whose action hangs.
# Prints the resident size after each million. Fails if it has grown by more than 8 MiB since the bus was full, or if
# the bus's statistics do not account for every error. Takes some seconds.
set -euo pipefail
cd "$(dirname "$0")"

swift build -c release --product post-memory >&2
"$(swift build -c release --show-bin-path)/post-memory" "$@"
