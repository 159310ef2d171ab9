package main

import "maps"

// badHardware has the mistakes of the commands around real GPUs.
var badHardware = map[string]string{
	"ptx-nothing":       "ptx",
	"ptx-kernel":        "ptx kernels.BFSWrap",
	"ptx-target":        "ptx bfs --target sm_35",
	"micro-argument":    "micro bfs",
	"micro-device":      "micro --device sim:h20",
	"micro-only":        "micro --only nothing-like-this",
	"micro-only-regexp": "micro --only (",
	"micro-repeat":      "micro --repeat -1",
	"compare-nothing":   "compare",
	"compare-two-modes": "compare bfs --micro",
	"compare-counters":  "compare --counters --micro",
	"compare-algorithm": "compare bsf",
	"compare-with":      "compare bfs --with sim:h20",
	"compare-gpu":       "compare bfs --gpu gtx",
	"compare-other-gpu": "compare bfs --device sim:v100",
	"compare-all-gpu":   "compare --all --device sim:v100",
	"compare-micro-gpu": "compare --micro --device sim:k40",
	"compare-func-gpu":  "compare bfs --device func",
	"compare-all-func":  "compare --all --device func --gpu h200",
	"compare-gpu-with":  "compare bfs --with func --gpu h200",
	"compare-ncu-with":  "compare bfs --with func --ncu testdata/nothing.csv",
	"compare-unknown":   "compare bfs --graph grid:width=4",
	"compare-ncu":       "compare bfs --ncu testdata/broken.mtx",
	"compare-ncu-none":  "compare bfs --ncu testdata/nothing.csv",
	"compare-graphs":    "compare --all --graphs testdata/user",
	"compare-folder":    "compare --counters --graphs testdata/user",
	"compare-stray":     "compare --all --scheduler thread",
	"compare-stray-one": "compare bfs --max-arcs 5",
	"compare-format":    "compare bfs --format bogus",
	"compare-arcs":      "compare --all --max-arcs 0",
	"compare-no-graph":  "compare --all --max-arcs 3",
	"record-device":     "record --device sim:h200",
	"record-repeat":     "record --repeat 0",
	"record-parts":      "record --parts micro,counters",
	"hw-set":            "run bfs --device hw --set sm.count=2",
	"hw-check-sim":      "run bfs --check",
	"hw-deadline":       "run bfs --device hw --deadline -5s",
	"hw-deadline-form":  "run bfs --device hw --deadline soon",
	"hw-number":         "run bfs --device hw:x",
}

func init() { maps.Copy(bad, badHardware) }
