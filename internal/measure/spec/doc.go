// Package spec reads the specifications of studies: which points to run.
//
// A specification is a YAML file. It names settings, and each combination of their values is a
// point:
//
//	name: l2-latency
//	doc: what the latency of the L2 costs each scheme
//	set:                                  # the same in all points
//	  device: sim:h200
//	  graph: rmat:scale=12,degree=16,seed=1
//	vary:                                 # every combination
//	  algorithm: [bfs, sssp]
//	  scheduler: [warp, thread, block-queue]
//	  l2.latency: 66:528:66               # 66, 132, ... 528
//	zip:                                  # these go together: two combinations
//	  sm.count:  [16, 32]
//	  l2.slices: [12, 24]
//	where:                                # points for which all conditions hold
//	  - scheduler != thread or sm.count = 16
//	repeat: 3                             # runs of a point, on a real GPU
//
// A study of several parts has them under runs:, each with set, vary, zip and where of its own,
// in addition to those of the whole file:
//
//	runs:
//	  - set: {scheduler: wolf}
//	    vary: {param.mode: [shared, direct]}
//	  - set: {scheduler: warp}
//
// A graph may have a name, with which results list it, how it is loaded, and the size that it must have:
//
//	graphs:
//	  road: {graph: USA-road-d.NY.gr.gz, symmetrize: true, vertices: 264346}
//	vary:
//	  graph: [road, demo]
//
// The settings: algorithm, scheduler, graph, source, device, gpus, seed, budget, detail and
// verify are the flags of "weft run"; param.NAME is a parameter of the algorithm or the
// scheduler; names such as l2.latency are parameters of the simulated machine. A launch of a
// kernel has kernel, grid, block, shared, registers, arg.NAME and bind.NAME instead of
// algorithm and scheduler, as "weft launch".
//
// A value is a text or a number. A list has several. The text 66:528:66 is a range from 66 to
// 528 in steps of 66, and 1:64:*2 is 1, 2, 4, ... 64. Braces in a text are replaced by each of
// their values: rmat:scale={10:14:1} and {bfs,sssp}.
package spec
