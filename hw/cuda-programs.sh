#!/usr/bin/env bash
# Builds what cuda.sh runs: cuda-programs.sh WEFT FOLDER, in the root of the project.
set -euo pipefail
weft=$1 to=$2
mkdir -p "$to/programs" "$to/faults" "$to/kernels"
cp hw/cuda.sh "$to"
# A file that needs newer GPUs, or the instructions of one alone, says so in a line of its own.
arch() {
	local needs
	needs=$(sed -n 's,^// build for sm_\([0-9a-z]*\)$,\1,p' "$1")
	[ -n "$needs" ] || needs=$(sed -n 's,^// needs compute capability \([0-9]*\)\.\([0-9]*\)$,\1\2,p' "$1")
	echo "--arch=sm_${needs:-70}"
}
build() { "$weft" cuda build "$(arch "$1")" "$1" -o "$2" -- -s; }
for f in internal/testing/cudatest/programs/*.cu; do
	if grep -q '^// a GPU refuses it: ' "$f"; then continue; fi
	build "$f" "$to/programs/$(basename "$f" .cu)"
done
for f in hw/testdata/cuda/faults/*.cu; do
	name=$(basename "$f" .cu)
	build "$f" "$to/faults/$name"
	sed -n '1s,^// want: ,,p' "$f" >"$to/faults/$name.want"
done
for f in hw/testdata/cuda/kernels/*.cu; do
	"$weft" cuda build "$(arch "$f")" "$f" --ptx -o "$to/kernels/$(basename "$f" .cu).ptx"
	cp "${f%.cu}.launch" "$to/kernels"
done
