package gpu

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/mma"
)

// Frame is a position in a kernel's source.
type Frame struct {
	File string // last directory and file name: "kernels/bfs.go"
	Line int
	Func string // with its package: "kernels.BFS"
}

// String returns "file:line".
func (f Frame) String() string { return fmt.Sprintf("%s:%d", f.File, f.Line) }

// Fault is an error that a thread caused, by a panic or by misusing a function of this
// package. It ended the launch.
type Fault struct {
	What   string  // "index out of range [12] with length 10"
	At     []Frame // innermost first, followed by its callers
	Block  int     // index in the grid, x fastest
	Thread int     // index in the block, x fastest
	// GridDim and BlockDim are the dimensions of the launch.
	GridDim, BlockDim Dim
}

// Error returns the source position, what happened, the block and the thread, followed by
// the callers.
func (f *Fault) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "gpu: %s: %s (block %s, thread %s)", f.At[0], f.What, f.GridDim.name(f.Block), f.BlockDim.name(f.Thread))
	for _, at := range f.At[1:] {
		fmt.Fprintf(&s, "\n\t%s: called from here", at)
	}
	return s.String()
}

// HangError reports that a kernel cannot finish, and which threads wait where.
type HangError struct {
	What  string
	Waits []Wait // in order of block and thread
}

// UndecidedError reports that a kernel made no progress for as many rounds as [Rounds]
// allows, and where its threads were. The kernel may hang, or may have progressed unseen,
// since plain Go does not see a thread's own computation. Devices func and sim can decide
// more cases.
type UndecidedError struct {
	Rounds int
	Waits  []Wait // in order of block and thread
}

// Wait is a group of threads that do the same thing on the same line.
type Wait struct {
	At      Frame
	Why     string // "waits at Sync", "waits at Ballot with mask 0000ffff", "spins"
	Blocks  string // "0", "0-3,7", or "(0,0)-(3,0)" with x fastest: the blocks in which the same threads wait
	Threads string // in each of these blocks: "0-31"
}

// maxWaits is the largest number of waits that the text of an error lists.
const maxWaits = 16

// Error lists which threads wait where.
func (h *HangError) Error() string {
	return "gpu: the kernel hangs: " + h.What + listWaits(h.Waits)
}

// Error lists where the threads were.
func (u *UndecidedError) Error() string {
	return fmt.Sprintf("gpu: undecided: no value changed and no thread exited in %d rounds (see gpu.Rounds)", u.Rounds) + listWaits(u.Waits)
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

// misuse is the panic value of a function of this package that was called incorrectly.
type misuse string

// fault converts a recovered panic to a Fault. The caller must be recovering it.
func (th *thread) fault(r any) *Fault {
	what := fmt.Sprint(r)
	if err, ok := r.(runtime.Error); ok {
		what = strings.TrimPrefix(err.Error(), "runtime error: ")
	} else if m, ok := r.(misuse); ok {
		what = string(m)
	} else {
		what = "panic: " + what
	}
	return &Fault{What: what, At: kernelFrames(), Block: th.l.numberOf(th.b.index), Thread: int(th.idx), GridDim: th.l.gridDim, BlockDim: th.l.blockDim}
}

// pkgPath is the import path of this package, which tells its stack frames from those of a
// kernel.
var pkgPath = reflect.TypeFor[Thread]().PkgPath()

// kernelCalls returns the kernel's frames on the stack, innermost first: those above the
// coroutine that belong neither to this package nor to the runtime. It returns at least
// one.
func kernelCalls() (list []runtime.Frame) {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		own := strings.HasPrefix(f.Function, pkgPath+".")
		if own && len(list) > 0 {
			return list
		}
		if !own && !strings.HasPrefix(f.Function, "runtime.") {
			list = append(list, f)
		}
		if !more {
			return append(list, runtime.Frame{File: "?"})
		}
	}
}

// kernelFrames returns the positions of kernelCalls.
func kernelFrames() (at []Frame) {
	for _, f := range kernelCalls() {
		at = append(at, frameOf(&f))
	}
	return at
}

// frameOf converts a frame of the runtime.
func frameOf(f *runtime.Frame) Frame {
	dir, file := path.Split(f.File)
	return Frame{File: path.Join(path.Base(dir), file), Line: f.Line, Func: path.Base(f.Function)}
}

// stuck ends the launch because all threads of block b wait.
func (l *launch) stuck(b *block, what string) { l.stuckIn, l.stuckWhat = b, what }

var syncNames = [...]string{syncPlain: "Sync", syncCount: "SyncCount", syncAnd: "SyncAnd", syncOr: "SyncOr"}

var warpNames = [...]string{
	warpSync: "SyncWarp", warpBallot: "Ballot", warpAny: "Any", warpAll: "All", warpShfl: "Shfl", warpShflUp: "ShflUp",
	warpShflDown: "ShflDown", warpShflXor: "ShflXor", warpMatch: "Match", warpArriveCluster: "ArriveCluster", warpWaitCluster: "WaitCluster", warpTranspose: "Transpose8x8",
	warpLoad1: "LoadMatrix1", warpLoad2: "LoadMatrix2", warpLoad4: "LoadMatrix4",
	warpStore1: "StoreMatrix1", warpStore2: "StoreMatrix2", warpStore4: "StoreMatrix4",
	warpStoreTransposed1: "StoreTransposed1", warpStoreTransposed2: "StoreTransposed2", warpStoreTransposed4: "StoreTransposed4",
	warpLoadTransposed1: "LoadTransposed1", warpLoadTransposed2: "LoadTransposed2", warpLoadTransposed4: "LoadTransposed4",
}

// String returns the name of the function.
func (k warpKind) String() string {
	if k >= warpGroupMMA {
		if int(k-warpGroupMMA) >= len(mma.GroupProducts) {
			return k.product().Func + "From"
		}
		return k.product().Func
	}
	if k >= warpMMA {
		return mma.Variants[k-warpMMA].Func
	}
	return warpNames[k]
}

// why describes what th does that keeps the launch from ending.
func (th *thread) why() string {
	switch th.state {
	case atBarrier:
		return "waits at " + syncNames[th.syncAt]
	case atCollective:
		if th.warpAt == warpArriveCluster || th.warpAt == warpWaitCluster {
			return "waits at " + warpNames[th.warpAt]
		}
		if th.warpAt == warpNamed {
			id := th.val >> 32 & 15
			return fmt.Sprintf("waits at barrier %d, which %d of %d threads have reached", id, th.b.named[id].arrived, uint32(th.val))
		}
		return fmt.Sprintf("waits at %s with mask %08x", th.warpAt, th.mask)
	}
	if th.wake > th.l.round {
		return "sleeps"
	}
	return "spins"
}

// giveUp ends the launch: it resumes each thread, which records where it is and exits.
func (l *launch) giveUp(threads []thread) (waits []Wait) {
	l.aborting = true
	type key struct {
		at  Frame
		why string
	}
	var keys []key
	who := map[key]map[int][]int{} // threads by key and block
	for i := range threads {
		th := &threads[i]
		if th.state == exited {
			continue
		}
		k := key{why: th.why()}
		l.step(th)
		if len(th.at) > 0 {
			k.at = th.at[0]
		}
		if who[k] == nil {
			keys = append(keys, k)
			who[k] = map[int][]int{}
		}
		who[k][th.b.index] = append(who[k][th.b.index], int(th.idx))
	}
	for _, k := range keys {
		alike := map[string][]int{} // blocks by the text of their threads
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

// ranges formats ascending numbers as "0-3,7", or "(0,0)-(3,0),(7,0)".
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
