package race

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
)

// advise says what would order two accesses. It looks at the code around them
// for a flag by which the threads may have meant to communicate; this is a
// guess, which the words of the advice reflect.
func advise(j, k *job, first, second *ir.Inst, r *device.Race, distance int) string {
	sameBlock, sameWarp := distance < 2, distance == 0
	switch {
	case j.grid == nil || k.grid == nil:
		return "let one command wait for the other, by Command.After or by the same stream of the same GPU"
	case r.Kind == device.RaceWidth:
		return "access the word with one width in all threads; accesses of different widths are not atomic to each other"
	case r.Kind == device.RaceScope:
		return widen(first, second, r)
	case sameWarp && r.Kind == device.RacePlain && updates(j, first, second):
		return oneAtomic
	case sameWarp && first == second && classOf(first) == weakStore:
		return "let one lane store, or use gpu.Store or an atomic: lanes of a warp are threads like others"
	case sameWarp:
		return "add t.SyncWarp between the two lines: lanes of a warp are not ordered without it" + orStrong(first, second)
	}
	if j == k && r.Kind == device.RacePlain {
		text := byFlag(j, first, second, sameBlock)
		if text == "" {
			text = byFlag(j, second, first, sameBlock)
		}
		if text != "" {
			return text
		}
		if updates(j, first, second) {
			return oneAtomic
		}
	}
	if sameBlock {
		return "add t.Sync() between the two lines, which all threads of the block reach" + orStrong(first, second)
	}
	if r.Kind == device.RaceAtomic {
		weak, strong := first, second
		if classOf(first) >= strongLoad {
			weak, strong = second, first
		}
		return fmt.Sprintf("make the %s at %s %s, as the other access is %s; or separate them by two launches or a barrier of the grid",
			what(weak), line(j, k, weak, first), strongForm(weak), call(strong)) + orAfter(j, k)
	}
	text := "hand the data over by a flag: gpu.StoreRelease after the first access, and gpu.LoadAcquire before the second; or use two launches"
	if classOf(first) == weakStore && classOf(second) == weakStore {
		text = "let one thread store, or use gpu.Store or an atomic in both places; or use two launches"
	}
	return text + orAfter(j, k)
}

// orAfter is the alternative if two accesses belong to different commands.
func orAfter(j, k *job) string {
	if j == k || j.cmd == nil {
		return ""
	}
	return "; or let one command wait for the other, by Command.After"
}

const oneAtomic = "update the element by one atomic, such as gpu.AtomicAdd: between a plain load and the store of the result another thread may store"

// updates reports whether two plain accesses are parts of one expression that
// loads an element and stores it, such as x[i]++.
func updates(j *job, first, second *ir.Inst) bool {
	at := j.grid.At(first)
	if len(at) == 0 || !slices.Equal(at, j.grid.At(second)) || first.Root != second.Root {
		return false
	}
	for i := range j.grid.Prog.Code {
		in := &j.grid.Prog.Code[i]
		if classOf(in) == weakLoad && in.Root == first.Root && slices.Equal(at, j.grid.At(in)) {
			return true
		}
	}
	return false
}

// line returns the file and line of one of two instructions of which the first
// belongs to j and the other to k.
func line(j, k *job, in, first *ir.Inst) string {
	if in != first {
		j = k
	}
	if at := j.grid.At(in); len(at) > 0 {
		return fmt.Sprintf("%s:%d", at[0].File, at[0].Line)
	}
	return "?"
}

// strongForm names the strong access to use in place of a plain one.
func strongForm(in *ir.Inst) string {
	if in.Op == ir.OpStore {
		return "gpu.Store"
	}
	return "gpu.Load"
}

// orStrong is the alternative if one of two accesses is strong already.
func orStrong(first, second *ir.Inst) string {
	for _, in := range []*ir.Inst{first, second} {
		other := first
		if in == first {
			other = second
		}
		if classOf(in) < strongLoad && classOf(other) >= strongLoad {
			return fmt.Sprintf(", or make the %s %s", what(in), strongForm(in))
		}
	}
	return ""
}

// widen is the advice for strong accesses with a scope that is too small.
func widen(first, second *ir.Inst, r *device.Race) string {
	var at string
	need, threads := inBlock, "use gpu.DeviceScope instead of gpu.BlockScope%s: the threads belong to different blocks"
	if c := r.First.Command; c != nil && c.GPU != r.Second.Command.GPU {
		need, threads = onGPU, "use gpu.SystemScope%s: the threads belong to different GPUs"
	}
	switch a, b := level(first.Mem) > need, level(second.Mem) > need; {
	case !a && !b && first != second:
		at = " at both lines"
	case !a:
		at = " at " + place(&r.First)
	default:
		at = " at " + place(&r.Second)
	}
	return fmt.Sprintf(threads, at)
}

func place(a *device.RaceAccess) string {
	if len(a.At) == 0 {
		return "?"
	}
	return fmt.Sprintf("%s:%d", a.At[0].File, a.At[0].Line)
}

// handover is a flag by which one thread may tell another that it is done: a
// strong store or atomic after the first access, and a strong load or atomic of
// the same object before the second.
type handover struct {
	set, test *ir.Inst
	before    *ir.Inst // the fence between the first access and set; nil if there is none
	after     *ir.Inst // the fence between test and the second access
}

// findHandover looks for the flag in the order of the code.
func findHandover(j *job, first, second *ir.Inst) (h handover, ok bool) {
	code := j.grid.Prog.Code
	at := func(in *ir.Inst) int {
		for i := range code {
			if &code[i] == in {
				return i
			}
		}
		return 0
	}
	var fence *ir.Inst
	for i := at(first) + 1; i < len(code); i++ {
		in := &code[i]
		if in.Op == ir.OpFence {
			fence = in
		}
		if classOf(in) != strongStore || in.Root == first.Root {
			continue
		}
		var close *ir.Inst
		for k := at(second) - 1; k >= 0; k-- {
			test := &code[k]
			if test.Op == ir.OpFence && close == nil {
				close = test
			}
			if (classOf(test) == strongLoad || test.Op.IsAtomic() && test.NDst > 0) && test.Root == in.Root && in.Root >= 0 {
				return handover{set: in, test: test, before: fence, after: close}, true
			}
		}
	}
	return h, false
}

// byFlag is the advice for threads that communicate by a flag that does not
// order their accesses; "" if there is no such flag.
func byFlag(j *job, first, second *ir.Inst, sameBlock bool) string {
	h, ok := findHandover(j, first, second)
	if !ok || first == second && !h.test.Op.IsAtomic() { // only a lock orders a line after itself
		return ""
	}
	set, test := line(j, j, h.set, h.set), line(j, j, h.test, h.test)
	releases := h.set.Mem.Order == ir.Release || h.before != nil
	acquires := h.test.Mem.Order == ir.Acquire || h.after != nil
	if !sameBlock {
		for _, in := range []*ir.Inst{h.before, h.set, h.test, h.after} {
			if in != nil && level(in.Mem) == inBlock {
				return fmt.Sprintf("use gpu.DeviceScope instead of gpu.BlockScope for the %s at %s: the threads belong to different blocks", call(in), line(j, j, in, in))
			}
		}
	}
	release := fmt.Sprintf("make the %s at %s gpu.StoreRelease", call(h.set), set)
	if h.set.Op.IsAtomic() {
		release = fmt.Sprintf("add gpu.Fence() before the %s at %s", call(h.set), set)
	}
	acquire := fmt.Sprintf("make the %s at %s gpu.LoadAcquire", call(h.test), test)
	if h.test.Op.IsAtomic() {
		acquire = fmt.Sprintf("add gpu.Fence() after the %s at %s", call(h.test), test)
	}
	switch {
	case !releases && !acquires:
		return release + ", and " + acquire
	case !releases:
		return release
	case !acquires:
		return acquire
	}
	return fmt.Sprintf("the flag is set at %s and tested at %s, but here the test did not read what was set after the access at %s: let the access at %s wait for it, and if another thread of the block sets the flag, add t.Sync() before that",
		set, test, line(j, j, first, first), line(j, j, second, second))
}
