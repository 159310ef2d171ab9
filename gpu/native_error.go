package gpu

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// Frame is a line of a kernel's source.
type Frame struct {
	File string // the last folder and the name: "kernels/bfs.go"
	Line int
	Func string // with the package: "kernels.BFS"
}

// String is "file:line".
func (f Frame) String() string { return fmt.Sprintf("%s:%d", f.File, f.Line) }

// Fault is an error that a thread caused: a panic of the kernel, or a misuse
// of a function of this package. It ended the launch.
type Fault struct {
	What   string  // "index out of range [12] with length 10"
	At     []Frame // innermost first, then the calls that led there
	Block  int     // in the grid, x fastest
	Thread int     // in the block, x fastest
	// GridDim and BlockDim are those of the launch.
	GridDim, BlockDim Dim
}

// Error says where in the source, what and in which thread.
func (f *Fault) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "gpu: %s: %s (block %s, thread %s)", f.At[0], f.What, f.GridDim.name(f.Block), f.BlockDim.name(f.Thread))
	for _, at := range f.At[1:] {
		fmt.Fprintf(&s, "\n\t%s: called from here", at)
	}
	return s.String()
}

// HangError says that a kernel cannot finish, and who waits where.
type HangError struct {
	What  string
	Waits []Wait // in order of block and thread
}

// UndecidedError says that a kernel made no progress for as long as Rounds allows, and
// who was where. It may hang, or may have gone on: plain Go cannot tell, since threads
// count and compute unseen. Devices func and sim decide more.
type UndecidedError struct {
	Rounds int
	Waits  []Wait // in order of block and thread
}

// Wait is threads that do the same thing at the same line.
type Wait struct {
	At      Frame
	Why     string // "waits at Sync", "waits at Ballot with mask 0000ffff", "spins"
	Blocks  string // "0", "0-3,7", "(0,0)-(3,0)" with x fastest: those whose threads are the same
	Threads string // in each block: "0-31"
}

// maxWaits is how many waits an error's text lists.
const maxWaits = 16

// Error lists who waits where.
func (h *HangError) Error() string {
	return "gpu: the kernel hangs: " + h.What + listWaits(h.Waits)
}

// Error lists who was where.
func (u *UndecidedError) Error() string {
	return fmt.Sprintf("gpu: undecided: no value changed and no thread left in %d rounds (see gpu.Rounds)", u.Rounds) + listWaits(u.Waits)
}

func listWaits(waits []Wait) string {
	var s strings.Builder
	for i, w := range waits {
		if i == maxWaits {
			fmt.Fprintf(&s, "\n\tand %d more", len(waits)-i)
			break
		}
		fmt.Fprintf(&s, "\n\t%s: block %s, thread %s: %s", w.At, w.Blocks, w.Threads, w.Why)
	}
	return s.String()
}

// misuse is the panic of a function of this package that was called wrongly.
type misuse string

// fault makes an error of a panic, called while the panic is recovered.
func (th *thread) fault(r any) *Fault {
	what := fmt.Sprint(r)
	if err, ok := r.(runtime.Error); ok {
		what = strings.TrimPrefix(err.Error(), "runtime error: ")
	} else if m, ok := r.(misuse); ok {
		what = string(m)
	} else {
		what = "panic: " + what
	}
	return &Fault{What: what, At: kernelFrames(1), Block: th.b.index, Thread: int(th.idx), GridDim: th.l.gridDim, BlockDim: th.l.blockDim}
}

// pkgPath is the import path of this package, to tell its frames from a kernel's.
var pkgPath = reflect.TypeFor[Thread]().PkgPath()

// kernelFrames is the frames of the kernel on the stack, innermost first:
// those above the coroutine that are not this package's or the runtime's. It
// has at least one.
func kernelFrames(skip int) []Frame {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(skip+1, pcs[:])])
	var at []Frame
	for {
		f, more := frames.Next()
		own := strings.HasPrefix(f.Function, pkgPath+".")
		if own && len(at) > 0 {
			return at
		}
		if !own && !strings.HasPrefix(f.Function, "runtime.") {
			dir, file := path.Split(f.File)
			at = append(at, Frame{File: path.Join(path.Base(dir), file), Line: f.Line, Func: path.Base(f.Function)})
		}
		if !more {
			return append(at, Frame{File: "?"})
		}
	}
}

// stuck gives the launch up because of a block whose threads all wait.
func (l *launch) stuck(b *block, what string) { l.stuckIn, l.stuckWhat = b, what }

var syncNames = [...]string{syncPlain: "Sync", syncCount: "SyncCount", syncAnd: "SyncAnd", syncOr: "SyncOr"}

var warpNames = [...]string{
	warpSync: "SyncWarp", warpBallot: "Ballot", warpAny: "Any", warpAll: "All", warpShfl: "Shfl", warpShflUp: "ShflUp",
	warpShflDown: "ShflDown", warpShflXor: "ShflXor", warpMatch: "Match",
}

// why says what a thread does that keeps a launch from ending.
func (th *thread) why() string {
	switch th.state {
	case atBarrier:
		return "waits at " + syncNames[th.syncAt]
	case atCollective:
		if th.warpAt == warpNamed {
			id := th.val >> 32 & 15
			return fmt.Sprintf("waits at barrier %d, which %d of %d threads have reached", id, th.b.named[id].arrived, uint32(th.val))
		}
		return fmt.Sprintf("waits at %s with mask %08x", warpNames[th.warpAt], th.mask)
	}
	if th.wake > th.l.round {
		return "sleeps"
	}
	return "spins"
}

// giveUp ends the launch: each of the threads is resumed, says where it is and ends.
func (l *launch) giveUp(threads []thread) (waits []Wait) {
	l.aborting = true
	type key struct {
		at  Frame
		why string
	}
	var keys []key
	who := map[key]map[int][]int{} // by block
	for i := range threads {
		th := &threads[i]
		if th.state == exited {
			continue
		}
		k := key{why: th.why()}
		l.step(th)
		k.at = th.at
		if who[k] == nil {
			keys = append(keys, k)
			who[k] = map[int][]int{}
		}
		who[k][th.b.index] = append(who[k][th.b.index], int(th.idx))
	}
	for _, k := range keys {
		alike := map[string][]int{} // blocks by their threads
		var order []string
		for _, b := range sortedKeys(who[k]) {
			r := l.blockDim.ranges(who[k][b])
			if alike[r] == nil {
				order = append(order, r)
			}
			alike[r] = append(alike[r], b)
		}
		for _, r := range order {
			waits = append(waits, Wait{At: k.at, Why: k.why, Blocks: l.gridDim.ranges(alike[r]), Threads: r})
		}
	}
	return waits
}

func sortedKeys(m map[int][]int) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ranges writes ascending numbers as "0-3,7", or "(0,0)-(3,0),(7,0)".
func (d *Dim) ranges(n []int) string {
	var s []string
	for i := 0; i < len(n); {
		j := i
		for j+1 < len(n) && n[j+1] == n[j]+1 {
			j++
		}
		if i == j {
			s = append(s, d.name(n[i]))
		} else {
			s = append(s, d.name(n[i])+"-"+d.name(n[j]))
		}
		i = j + 1
	}
	return strings.Join(s, ",")
}
