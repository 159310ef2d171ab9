#!/usr/bin/env bash
# Builds the programs of experiments/validation for cuda.sh, as its folder extra: validation-programs.sh WEFT FOLDER, in the
# root of the project. Each is listed with the three sizes, all small ones first.
set -euo pipefail
weft=$1 to=$2
mkdir -p "$to/extra"
cp hw/cuda.sh "$to"
for f in experiments/validation/*.cu; do
	"$weft" cuda build "$f" -o "$to/extra/$(basename "$f" .cu)" -- -s
done
for size in 1 2 3; do
	for f in experiments/validation/*.cu; do
		echo "$(basename "$f" .cu) $size"
	done
done >"$to/extra/list"
