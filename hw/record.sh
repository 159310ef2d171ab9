#!/usr/bin/env bash
# Records a GPU. Run it in the folder created by "make hw-record", on a machine
# with an NVIDIA GPU and its driver. It uses nvcc, ncu and compute-sanitizer if
# they are installed; Go is not needed.
#
#   [PROFILE='wiki|cnr'] [PARTS=micro,runs] [REPEAT=5] [SMALL=graphs/karate.mtx.gz] ./record.sh OUT [STAGE...]
#
# PROFILE selects the graphs on which ncu reads counters, PARTS the parts to
# record (default: all; see "weft record --help"), and SMALL the graph for
# compute-sanitizer. Stages: check byhand sanitize (default: these three);
# counters, the micro-kernels with their counters by ncu; registers, what the kernels
# of each scheme take of an SM; hangs, the scenarios of kernels that may hang, which
# takes two minutes; progress,
# the litmus tests of forward progress, as blocks and as lanes; cuda, whole CUDA programs with their
# answers and times (see cuda.sh); litmus, those of
# the memory model, or only the tests that LITMUS names; and peers, which measures
# what peers.db lacks of studies/peers.yaml, and adds it to the record h200.json; and pairs,
# the same for studies/pairs.yaml on the GRAPHS (default: the five that "make simulated"
# simulates), REPEAT times each. A record of pairs carries the host on which it was made:
#
#   [GRAPHS='karate wiki-Vote'] [REPEAT=9] [LIMIT=1m] ./record.sh OUT pairs
#   [LITMUS='MP-cta SB-weak'] [INSTANCES=1000000] ./record.sh OUT litmus
#   [LIMIT=8m] [ROW=20s] [WHERE='graph=cnr-2000'] ./record.sh OUT peers
#
# papers measures the papers' studies, or STUDIES of them, into papers/NAME.db; multi needs as many
# GPUs as WHERE leaves:
#
#   [STUDIES=multi] [WHERE=gpus=2] [LIMIT=3m] ./record.sh OUT papers
#
# Several GPUs, DEVICE of them (default hw:0,1), in four stages: multi tests them as
# one group and measures the links between them; multi-times measures what times.db
# lacks of studies/gpus-times.yaml, and a part of it on the first GPU alone; multi-scaling
# measures studies/gpus-scaling.yaml on all and on the first one alone; multi-answers
# checks the answers of studies/gpus-answers.yaml. The last three end after LIMIT; the same
# command continues them. Each makes a record of its store:
#
#   [DEVICE=hw:0,1,2,3] [LIMIT=8m] [ROW=20s] [WHERE='graph=cnr-2000'] ./record.sh OUT multi
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: record.sh OUT [STAGE...]}
shift
stages=${*:-check byhand sanitize}
mkdir -p "$out"
[ -f "$here/weft.gz" ] && gunzip -kf "$here/weft.gz"
[ -f "$here/hw.test.gz" ] && gunzip -kf "$here/hw.test.gz"
chmod +x "$here"/weft "$here"/hw.test 2>/dev/null
weft=$here/weft
graphs=$here/graphs
failed=0

stage() { case " $stages " in *" $1 "*) echo "== $1: $(date -u +%T)" ;; *) return 1 ;; esac; }
fail() { echo "FAILED: $*"; failed=1; }

if stage check; then
	"$here/hw.test" -test.v -test.skip TestRecord >"$out/contract.txt" 2>&1 || fail "contract test, see contract.txt"
	grep -E '^(---|ok|PASS|FAIL)' "$out/contract.txt" | tail -40
fi

cubin=
if stage byhand; then
	if command -v nvcc >/dev/null; then
		arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
		nvcc -O3 "-arch=sm_$arch" -cubin -Xptxas -v -o "$here/byhand.cubin" "$here/byhand.cu" 2>"$out/byhand.ptxas.txt" && cubin=$here/byhand.cubin
	fi
	"$weft" record --graphs "$graphs" --out "$out/record" ${cubin:+--by-hand "$cubin"} ${PROFILE:+--profile "$PROFILE"} ${PARTS:+--parts "$PARTS"} --repeat "${REPEAT:-5}" 2>&1 | tee "$out/record.txt" || fail record
fi

# swept SPECIFICATION DEVICE NAME [FLAG...] measures what the store NAME.db lacks, and adds its rows to the record NAME.json. Each run
# ends after ROW.
swept() {
	local spec=$1 on=$2 name=$3
	shift 3
	"$weft" sweep "$here/studies/$spec.yaml" --device "$on" --graphs "$graphs" --out "$out/$name.db" --timeout "${ROW:-20s}" "$@" 2>>"$out/$name.log" ||
		fail "$name: $(tail -1 "$out/$name.log")"
	"$weft" results "$out/$name.db" --record "$out/$name.json" || fail "record of $name"
}

if stage peers; then
	[ -f "$out/h200.json" ] || ! [ -f "$here/h200.json" ] || cp "$here/h200.json" "$out/h200.json"
	swept peers hw h200 --limit "${LIMIT:-8m}" ${WHERE:+--where "$WHERE"}
	"$weft" results "$out/h200.json" --others "$here/studies/peers.yaml" --out "$out/README.md" || fail "page of peers"
fi

if stage pairs; then
	"$weft" record --parts host --out "$out/host" --repeat 5 >"$out/host.txt" 2>&1 || fail "host, see host.txt"
	sed "s/^repeat: .*/repeat: ${REPEAT:-9}/" "$here/studies/pairs.yaml" >"$here/studies/pairs-repeated.yaml"
	for graph in ${GRAPHS:-chesapeake karate wiki-Vote as-caida20071105 p2p-Gnutella31}; do
		swept pairs-repeated hw pairs --limit "${LIMIT:-8m}" --where "graph=$graph"
	done
fi

if stage papers; then
	mkdir -p "$out/papers"
	for spec in "$here"/experiments/papers/*.yaml; do
		name=$(basename "$spec" .yaml)
		case " ${STUDIES:-$name} " in *" $name "*) ;; *) continue ;; esac
		on=${DEVICE:-hw}
		"$weft" sweep "$spec" --on "$on" --out "$out/papers/$name.db" --timeout "${ROW:-20s}" --limit "${LIMIT:-8m}" ${WHERE:+--where "$WHERE"} 2>>"$out/papers.log" || fail "$name: $(tail -1 "$out/papers.log")"
	done
	"$weft" version >"$out/papers/machine.txt"
	nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader >>"$out/papers/machine.txt"
fi

if stage hangs; then
	"$weft" hang --all --device hw --json >"$out/hangs.json" || fail "hangs, see hangs.json"
	for registers in 110 24; do
		"$weft" hang barrier-simdx --largest --device hw --registers $registers --json >"$out/largest-$registers.json" || fail "largest grid with $registers registers"
	done
fi

if stage counters; then
	"$weft" record --parts micro,micro-counters --profile '^$' --out "$out/record" --repeat "${REPEAT:-5}" 2>&1 | tee "$out/counters.txt" || fail counters
fi

if stage registers; then
	"$weft" record --parts registers --out "$out/record" 2>&1 | tee "$out/registers.txt" || fail registers
fi

if stage progress; then
	for as in blocks lanes; do
		"$weft" progress "$here/progress" --run --as $as --device hw --instances 20000 --launches 10 --json >"$out/progress-$as.jsonl" || fail "progress as $as, see progress-$as.jsonl"
	done
fi

if stage litmus; then
	tests=("$here/litmus")
	[ -n "${LITMUS:-}" ] && read -ra tests <<<"$LITMUS" && tests=("${tests[@]/#/$here/litmus/}") && tests=("${tests[@]/%/.litmus}")
	"$weft" litmus "${tests[@]}" --device hw --instances "${INSTANCES:-1000000}" --json >"$out/litmus.json" || fail "litmus, see litmus.json"
fi

if stage cuda; then
	"$here/cuda/cuda.sh" "$out/cuda" || fail "CUDA programs, see cuda/results.txt"
fi

device=${DEVICE:-hw:0,1}

if stage multi; then
	{
		echo "command: DEVICE=$device ./record.sh OUT multi; date: $(date -u +%FT%TZ)"
		"$weft" version
		nvidia-smi --query-gpu=index,name,driver_version,pci.bus_id,clocks.max.sm,clocks.max.mem,pcie.link.gen.max,pcie.link.width.max --format=csv
		nvidia-smi topo -m
		nvidia-smi nvlink --status
	} >"$out/machine.txt" 2>&1
	timeout 240 "$here/hw.test" -test.v -test.run 'TestTwoGPUs|TestGroupContract' >"$out/contract.txt" 2>&1 || fail "contract test of groups, see contract.txt"
	grep -E '^(---|ok|PASS|FAIL)' "$out/contract.txt" | tail -40
	for algorithm in bfs cc sssp sswp pagerank-pull; do
		timeout 60 "$weft" run $algorithm --scheduler multi --device "$device" --graph demo --json >"$out/run.$algorithm.json" || fail "$algorithm, see run.$algorithm.json"
	done
	timeout 240 "$weft" micro --device "$device" --repeat "${REPEAT:-7}" --json >"$out/links.json" || fail "links, see links.json"
fi

if stage multi-times; then
	swept gpus-times "$device" times --limit "${LIMIT:-6m}" ${WHERE:+--where "$WHERE"}
	swept gpus-times "${device%%,*}" times-one --limit "${LIMIT_ONE:-2m}" --where param.exchange=vr-online --where param.overlap=false --where param.transfer=peer
fi

if stage multi-scaling; then
	swept gpus-scaling "$device" scaling --limit "${LIMIT:-8m}"
	swept gpus-scaling "${device%%,*}" scaling-one --limit "${LIMIT:-8m}"
fi

if stage multi-answers; then
	swept gpus-answers "$device" answers --limit "${LIMIT:-8m}" ${WHERE:+--where "$WHERE"}
fi

if stage sanitize && command -v compute-sanitizer >/dev/null; then
	export WEFT_HW_IN_PROCESS=1 # it only monitors the process that it starts
	for tool in memcheck racecheck synccheck initcheck; do
		for run in "bfs thread" "bfs warp" "bfs block" "bfs block-queue" "bfs hierq" "bfs vwc" "bfs warpseg" "bfs wolf" "bfs simdx" "bfs atos" "sssp block" "sssp simdx" "sssp atos" "pagerank warp" "pagerank block" "pagerank simdx" "pagerank atos" "pagerank-pull warp" "cc block" "cc union-find" "cc simdx" "kcore warp" "kcore simdx" "scc simdx" "wcc simdx" "bp warpseg" "colouring thread" "colouring simdx" "colouring atos" "nn warpseg"; do
			set -- $run
			if timeout 120 compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 "$weft" run "$1" --scheduler "$2" \
				--graph "${SMALL:-demo}" --device hw >"$out/sanitize.$tool.$1.$2.txt" 2>&1; then
				rm "$out/sanitize.$tool.$1.$2.txt"
			else
				fail "$tool on $run"
				tail -5 "$out/sanitize.$tool.$1.$2.txt"
			fi
		done
		echo "$tool done"
	done
fi

exit $failed
