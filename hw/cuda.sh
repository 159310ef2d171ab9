#!/usr/bin/env bash
# Runs CUDA programs on a GPU by "weft cuda run --device hw", and records whether their answers are right and how long
# their kernels take. Run it in the folder created by "make hw-cuda" or "make hw-validation", or by the stage cuda of
# record.sh; it needs an NVIDIA GPU with its driver, and neither Go nor a compiler.
#
#   [DEADLINE=10s] [LIMIT=25] [TOTAL=280] [DEVICE=hw] ./cuda.sh OUT
#
# With DEVICE=sim:h200 the same programs are simulated, and "weft cuda compare simulated/times.jsonl measured/times.jsonl"
# compares the times. DEADLINE ends a kernel, LIMIT seconds a program, and after TOTAL seconds no other program begins.
#
# programs/ has programs whose last line of output is "ok" if the answer is right, with their planted faults in faults/, each
# with a file NAME.want that says which exit code and which words the report must have. kernels/ has PTX with a file
# NAME.launch of arguments of weft launch. extra/ may have more programs: a line of extra/list is a program of that folder and
# its arguments, and what it ends with counts. OUT gets at most three files: results.txt, times.jsonl (what weft cuda run
# --out writes of each program, for weft cuda compare, with what an empty kernel takes in its process) and output.txt (what
# failed programs printed).
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: cuda.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)
device=${DEVICE:-hw}
[ -f "$here/weft.gz" ] && gunzip -kf "$here/weft.gz"
[ -f "$here/../weft" ] && [ ! -f "$here/weft" ] && ln -s ../weft "$here/weft"
chmod +x "$here/weft" "$here"/programs/* "$here"/faults/* "$here"/extra/* 2>/dev/null
weft=$here/weft
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$out/results.txt" && : >"$out/times.jsonl" && : >"$out/output.txt"
wrong=0 right=0

{
	"$weft" version
	nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader
	uname -sr
	ldd --version 2>/dev/null | head -1
} >>"$out/results.txt" 2>&1

# say WORD WHAT notes how something ended; what it printed is kept if it is wrong.
say() {
	printf '%-6s %s (%ss)\n' "$1" "$2" "$SECONDS" | tee -a "$out/results.txt"
	if [ "$1" = right ]; then
		right=$((right + 1))
	else
		wrong=$((wrong + 1))
		{ echo "== $2"; tail -c 3000 "$work/stdout"; echo; tail -c 3000 "$work/stderr"; } >>"$out/output.txt" 2>/dev/null
	fi
}

# run PROGRAM [ARGUMENT...] runs a program in its folder; its exit code is in code.
run() {
	rm -f "$work/times.json"
	if [ "$SECONDS" -ge "${TOTAL:-280}" ]; then
		code="none, since the time was up"
		return
	fi
	local flags=(--launch-cost)
	case $device in
	hw*) flags+=(--deadline "${DEADLINE:-10s}") ;;
	func) flags=() ;; # it has no clock
	esac
	(cd "$(dirname "$1")" && timeout -k 5 "${LIMIT:-25}" "$weft" cuda run -q --device "$device" "${flags[@]}" --out "$work/times.json" "$@") >"$work/stdout" 2>"$work/stderr" </dev/null
	code=$?
	[ "$code" = 0 ] && [ -s "$work/times.json" ] && cat "$work/times.json" >>"$out/times.jsonl"
}

for p in "$here"/programs/*; do
	[ -x "$p" ] || continue
	run "$p"
	if [ "$code" = 0 ] && [ "$(tail -1 "$work/stdout")" = ok ]; then say right "$(basename "$p")"; else say WRONG "$(basename "$p"), exit code $code"; fi
done

for want in "$here"/faults/*.want; do
	[ -f "$want" ] || continue
	p=${want%.want}
	DEADLINE=2s run "$p"
	read -r status words <"$want"
	if [ "$code" = "$status" ] && cat "$work/stdout" "$work/stderr" | grep -qF -- "$words"; then say right "fault $(basename "$p")"; else say WRONG "fault $(basename "$p"): exit code $code, not $status with \"$words\""; fi
done

for launch in "$here"/kernels/*.launch; do
	[ -f "$launch" ] || continue
	while read -r words; do
		[ -n "$words" ] || continue
		# shellcheck disable=SC2086 # the words are those of a command line
		(cd "$here/kernels" && timeout -k 5 "${LIMIT:-25}" "$weft" launch $words --device "$device" --compare-with func) >"$work/stdout" 2>"$work/stderr" </dev/null
		code=$?
		if [ "$code" = 0 ] && grep -q '^compared with func: all' "$work/stdout"; then say right "launch ${words%% *}"; else say WRONG "launch $words, exit code $code"; fi
	done <"$launch"
done

if [ -f "$here/extra/list" ]; then
	while read -r name args; do
		case $name in '' | '#'*) continue ;; esac
		# shellcheck disable=SC2086
		run "$here/extra/$name" $args
		if [ "$code" = 0 ]; then say right "extra $name $args"; else say WRONG "extra $name $args, exit code $code"; fi
	done <"$here/extra/list"
fi

echo "$right right, $wrong wrong" | tee -a "$out/results.txt"
[ $wrong = 0 ]
