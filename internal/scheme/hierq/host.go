//go:build !kernel

package hierq

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// New returns the scheme. It accepts every algorithm that can be pushed.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:       "hierq",
		Doc:        "bulk-synchronous, one thread per vertex, with hierarchical queues, and one block for small frontiers",
		Sources:    []gpu.Package{Sources},
		Params:     params(),
		Quantities: quantities(),
		Takes: func(a scheduler.Type, p scheduler.Values) error {
			if err := cmp.Or(a.Pushes(), suits(p), nests(a, p)); err != nil || p.Int("host-levels") == 0 {
				return err
			}
			if err := a.CanExpand(); err != nil {
				return fmt.Errorf("host-levels=%d: %w; use host-levels=0", p.Int("host-levels"), err)
			}
			return nil
		},
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			return append([]scheduler.EntryPoint{
				push(a, warpLevel), push(a, blockLevel), push(a, globalLevel),
				pushSmall(a, warpLevel), pushSmall(a, blockLevel), place(a), scheduler.InitKernel(a),
				push(a, straightLevel), pushFlush(a, warpLevel), pushFlush(a, blockLevel), pushFlush(a, straightLevel),
				pushKept(a, byLane, keepFour), pushKept(a, byWarp, keepOne), pushKept(a, byWarp, keepFour),
				pushKept(a, byLane, keepEight), pushKept(a, byWarp, keepEight),
				pushNested(a, warpLevel), pushNested(a, blockLevel), pushNested(a, globalLevel), pushNested(a, straightLevel),
				pushSmallNested(a, warpLevel), pushSmallNested(a, blockLevel),
			}, scheduler.PhaseKernels(a)...)
		},
		Run: run,
	}
}

// The values of the parameter levels.
const (
	globalLevel = "global"
	blockLevel  = "block"
	warpLevel   = "warp"

	straightLevel = "straight" // levels=warp, warp-to=global
)

// The values of the parameters full, warp-to, reserve, registers and launch-from.
const (
	overflow = "overflow"
	flush    = "flush"

	toBlock  = "block"
	toGlobal = "global"

	byLane    = "lane"
	byWarp    = "warp"
	keepOne   = "1"
	keepFour  = "4"
	keepEight = "8"

	fromHost   = "host"
	fromDevice = "device"
)

// suits returns an error if parameters ask for what their levels do not have.
func suits(p scheduler.Values) error {
	levels := p.Word("levels")
	switch {
	case keeps(p) && levels != blockLevel:
		return fmt.Errorf("reserve=warp and registers=4 or 8 are ways to add to a block queue without warp queues; levels=%s is not levels=block", levels)
	case keeps(p) && p.Word("full") == flush:
		return errors.New("reserve=warp and registers=4 or 8 do not empty full block queues; use full=overflow")
	case p.Word("full") == flush && levels == globalLevel:
		return errors.New("full=flush empties a full block queue; levels=global has none")
	case p.Word("warp-to") == toGlobal && levels != warpLevel:
		return fmt.Errorf("warp-to=global says where warp queues go; levels=%s has none", levels)
	}
	return nil
}

// keeps reports whether threads add to the block queue in another way than with one atomic for each vertex.
func keeps(p scheduler.Values) bool {
	return p.Word("reserve") != byLane || p.Word("registers") != keepOne
}

func params() []scheduler.Param {
	length := func(name, value string, most float64, doc string) scheduler.Param {
		return scheduler.Param{Name: name, Type: scheduler.IntParam, Unit: "vertex", Default: value, Min: 1, Max: most, Doc: doc}
	}
	smallBlock := scheduler.BlockParam()
	smallBlock.Name, smallBlock.Doc, smallBlock.Default = "one-block-threads", "threads of the one-block kernel", "512"
	return []scheduler.Param{
		scheduler.BlockParam(),
		{Name: "host-levels", Type: scheduler.IntParam, Unit: "iteration", Default: "0", Max: 1000,
			Doc: "first iterations that the CPU runs, before the first of these kernels is launched"},
		{Name: "levels", Type: scheduler.WordParam, Words: []string{globalLevel, blockLevel, warpLevel}, Default: warpLevel,
			Doc: "the queue to which a vertex goes first; each one overflows to those before it in the list"},
		{Name: "warp-queues", Type: scheduler.IntParam, Unit: "queue", Default: "8", Min: 1, Max: gpu.WarpSize,
			Doc: "warp queues per block; lane i of each warp uses queue i modulo this number"},
		length("warp-length", "128", 16384, "length of a warp queue"),
		{Name: "interleaved", Type: scheduler.BoolParam, Default: "true",
			Doc: "whether neighbouring words of shared memory belong to neighbouring warp queues; if not, each queue is contiguous"},
		{Name: "warp-to", Type: scheduler.WordParam, Words: []string{toBlock, toGlobal}, Default: toBlock,
			Doc: "where a block of the grid moves its warp queues at its end: to the block queue, or straight to the global queue; a warp queue that is full overflows to the block queue in both"},
		length("block-length", "1024", 32768, "length of the block queue; the one-block kernel has two of them"),
		{Name: "full", Type: scheduler.WordParam, Words: []string{overflow, flush}, Default: overflow,
			Doc: "what a block of the grid does when its block queue is full: further vertices overflow to the global queue, or all of its threads copy the queue there and go on"},
		{Name: "reserve", Type: scheduler.WordParam, Words: []string{byLane, byWarp}, Default: byLane,
			Doc: "who reserves places in the block queue in a block of the grid: each lane, with an atomic of its own, or all lanes of a warp that have found a vertex, with a vote and one atomic; warp is for levels=block and full=overflow"},
		{Name: "registers", Type: scheduler.WordParam, Unit: "vertex", Words: []string{keepOne, keepFour, keepEight}, Default: keepOne,
			Doc: "vertices that a thread of the grid keeps in registers before it adds them to the block queue with one atomic; 4 and 8 are for levels=block and full=overflow"},
		{Name: "one-block", Type: scheduler.IntParam, Unit: "vertex", Default: "1024", Max: 32768,
			Doc: "largest frontier that one block processes, and never more than block-length; 0: no one-block kernel; levels=global has none either"},
		smallBlock,
		{Name: "launch-from", Type: scheduler.WordParam, Words: []string{fromHost, fromDevice}, Default: fromHost,
			Doc: "who launches the next kernel: the host, or the kernel before it (dynamic parallelism), on func and on simulated machines with launch.device; not for algorithms with phases, and not with full=flush"},
		scheduler.MaxIterationsParam(),
	}
}

// The quantities of a step besides those of every push scheme.
const (
	iterations     = "iterations"
	warpQueued     = "warp-queued"
	blockQueued    = "block-queued"
	appended       = "appended"
	warpOverflows  = "warp-overflows"
	blockOverflows = "block-overflows"
	flushed        = "flushes"
)

func quantities() []scheduler.Quantity {
	return append(scheduler.FrontierQuantities(),
		scheduler.Quantity{Name: iterations, Unit: "iteration", Doc: "iterations of the launch; the one-block kernel runs several, and its other quantities are sums over them, except next"},
		scheduler.Quantity{Name: warpQueued, Unit: "vertex", Doc: "vertices added to a warp queue"},
		scheduler.Quantity{Name: blockQueued, Unit: "vertex", Doc: "vertices added to a block queue, directly or from a warp queue"},
		scheduler.Quantity{Name: appended, Unit: "vertex", Doc: "vertices added to the global queue with an atomic each, not with those of their block"},
		scheduler.Quantity{Name: warpOverflows, Unit: "vertex", Doc: "vertices that found their warp queue full"},
		scheduler.Quantity{Name: blockOverflows, Unit: "vertex", Doc: "vertices that found the block queue full"},
		scheduler.Quantity{Name: flushed, Unit: "flush", Doc: "full block queues that a block copied to the global queue before it went on; with full=flush"},
	)
}

// push and pushSmall return the kernels for an algorithm.
func push(a scheduler.Type, levels string) scheduler.EntryPoint {
	return entry("hierq.Push", "one push iteration, "+levels+" queues", a, levels)
}

func pushSmall(a scheduler.Type, levels string) scheduler.EntryPoint {
	return entry("hierq.PushSmall", "push iterations of one block, "+levels+" queues", a, levels)
}

func pushFlush(a scheduler.Type, levels string) scheduler.EntryPoint {
	return entry("hierq.PushFlush", "one push iteration, "+levels+" queues, full block queues emptied", a, levels)
}

func pushKept(a scheduler.Type, by, registers string) scheduler.EntryPoint {
	types := map[[2]string]string{{byLane, keepFour}: "hierq.LaneAdds", {byLane, keepEight}: "hierq.EightLaneAdds",
		{byWarp, keepOne}: "hierq.WarpAdds", {byWarp, keepFour}: "hierq.KeptWarpAdds", {byWarp, keepEight}: "hierq.EightWarpAdds"}
	return scheduler.EntryPoint{Name: fmt.Sprintf("hierq.PushKept[%s, %s, %s]", a.Name, types[[2]string{by, registers}], a.Value),
		What: "one push iteration, block queues, places reserved by " + by + " for " + registers}
}

// place returns the kernel Place for an algorithm.
func place(a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: "hierq.Place[" + a.Value.String() + "]", What: "values that the host found"}
}

func entry(kernel, what string, a scheduler.Type, levels string) scheduler.EntryPoint {
	types := map[string]string{globalLevel: "hierq.GlobalLevel", blockLevel: "hierq.BlockLevel", warpLevel: "hierq.WarpLevel", straightLevel: "hierq.StraightLevel"}
	return scheduler.EntryPoint{Name: fmt.Sprintf("%s[%s, %s, %s]", kernel, a.Name, types[levels], a.Value), What: what}
}
