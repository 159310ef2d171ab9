//go:build cgo && linux

package cuda

/*
#include <string.h>

#include "config.h"

enum { weft_max_params = 256, weft_max_bytes = 32 << 10, weft_max_parts = 1024, weft_behind_params = 6, weft_mark_param = 3, weft_not_ready = 600, weft_unknown = 999 };

// CUDA_KERNEL_NODE_PARAMS_v1 in cuda.h.
typedef struct {
	word function;
	unsigned grid[3], block[3], shared;
	word **params, *extra;
} weft_node;

// A launch, and the driver functions that it needs.
typedef struct {
	int (*record)(word, word);
	int (*launch)(word, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, word, word **, word);
	int (*cooperative)(word, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, word, word **);
	int (*configured)(const weft_config *, word, word **, word);
	int (*synchronize)(word);
	int (*query)(word);
	int (*elapsed)(float *, word, word);
	int (*set)(word, word, const weft_node *);
	int (*launch_graph)(word, word);
	word start, end; // events
	weft_node node, behind;
	weft_config *config; // of a launch with clusters; null for others
	int is_cooperative, repeat;
	word values[weft_max_params], *params[weft_max_parts];
	unsigned char bytes[weft_max_bytes];
	word behind_values[weft_behind_params], *behind_params[weft_behind_params];
	word next_graph, next_values[weft_behind_params]; // the parameters to which the last kernel of a graph is already set
	uint64_t *seen;
	uint32_t words, mark;
	float ms;
	int staged;         // whether to note the stages
	int64_t stages[4];  // see Stage
	const char *failed; // the call that failed
} weft_launch;

static weft_launch *weft_new_launch(void) {
	weft_launch *l = calloc(1, sizeof *l);
	for (int i = 0; i < weft_behind_params; i++) l->behind_params[i] = &l->behind_values[i];
	l->node.params = l->params;
	l->behind.params = l->behind_params;
	return l;
}

// weft_words makes the parameters words, and weft_part one of them a part of the bytes.
static void weft_words(weft_launch *l) {
	for (int i = 0; i < weft_max_params; i++) l->params[i] = &l->values[i];
}
static void weft_part(weft_launch *l, int i, unsigned at) { l->params[i] = (word *)(l->bytes + at); }

#define TRY(name, call) do { int err = (call); if (err) { l->failed = name; return err; } } while (0)

// weft_stage notes a moment of a launch.
static inline void weft_stage(weft_launch *l, int i) {
	if (l->staged) l->stages[i] = weft_clock();
}

// weft_timed launches between two events and waits for the second one.
static int weft_timed(weft_launch *l) {
	const weft_node *n = &l->node;
	weft_stage(l, 0);
	TRY("cuEventRecord", l->record(l->start, 0));
	weft_stage(l, 1);
	for (int i = 0; i < l->repeat; i++) {
		if (l->config)
			TRY("cuLaunchKernelEx", l->configured(l->config, n->function, n->params, 0));
		else if (l->is_cooperative)
			TRY("cuLaunchCooperativeKernel", l->cooperative(n->function, n->grid[0], n->grid[1], n->grid[2], n->block[0], n->block[1], n->block[2], n->shared, 0, n->params));
		else
			TRY("cuLaunchKernel", l->launch(n->function, n->grid[0], n->grid[1], n->grid[2], n->block[0], n->block[1], n->block[2], n->shared, 0, n->params, 0));
	}
	TRY("cuEventRecord", l->record(l->end, 0));
	weft_stage(l, 2);
	TRY("cuEventSynchronize", l->synchronize(l->end));
	weft_stage(l, 3);
	TRY("cuEventElapsedTime", l->elapsed(&l->ms, l->start, l->end));
	return 0;
}

static int weft_seen(weft_launch *l) {
	for (uint32_t i = 0; i < l->words; i++)
		if (__atomic_load_n(&l->seen[i], __ATOMIC_ACQUIRE) >> 32 != l->mark) return 0;
	return 1;
}

// weft_chained launches a graph and waits for the words that its last kernel writes. If a kernel has failed, they
// never arrive, so it queries the driver now and then. While the graph runs, it sets the parameters of the graph's
// last kernel for the launch that most likely follows: the same with the next mark.
static int weft_chained(weft_launch *l, word graph, word node, word behind) {
	weft_stage(l, 0);
	TRY("cuGraphExecKernelNodeSetParams", l->set(graph, node, &l->node));
	if (l->next_graph != graph || memcmp(l->next_values, l->behind_values, sizeof l->next_values))
		TRY("cuGraphExecKernelNodeSetParams", l->set(graph, behind, &l->behind));
	l->next_graph = 0;
	weft_stage(l, 1);
	TRY("cuGraphLaunch", l->launch_graph(graph, 0));
	weft_stage(l, 2);
	l->behind_values[weft_mark_param]++;
	if (!l->set(graph, behind, &l->behind)) {
		l->next_graph = graph;
		memcpy(l->next_values, l->behind_values, sizeof l->next_values);
	}
	for (;;) {
		for (int i = 0; i < 1000; i++) {
			if (weft_seen(l)) {
				weft_stage(l, 3);
				return 0;
			}
#if defined(__x86_64__)
			__builtin_ia32_pause();
#elif defined(__aarch64__)
			__asm__ volatile("yield");
#endif
		}
		int err = l->query(0);
		if (err == weft_not_ready) continue;
		if (!err && !weft_seen(l)) err = weft_unknown;
		if (err) l->failed = "cuStreamQuery";
		return err;
	}
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// MaxParams is the maximum number of parameters of a timed launch that are words; MaxBytes is that of the bytes of
// parameters that are not, as the driver has it since CUDA 12.1, and MaxParts the number of such parameters.
const (
	MaxParams = C.weft_max_params
	MaxBytes  = C.weft_max_bytes
	MaxParts  = C.weft_max_parts
)

// Timer runs launches to completion and times them. It makes all driver calls of a launch in one call from Go, because
// each such call takes a large part of a microsecond, during which the GPU would be idle.
type Timer struct {
	c *Context
	l *C.weft_launch
}

// NewTimer creates a timer.
func (c *Context) NewTimer() (*Timer, error) {
	t := &Timer{c, C.weft_new_launch()}
	err := t.find(map[string]unsafe.Pointer{
		"cuEventRecord": unsafe.Pointer(&t.l.record), "cuLaunchKernel": unsafe.Pointer(&t.l.launch),
		"cuLaunchCooperativeKernel": unsafe.Pointer(&t.l.cooperative), "cuEventSynchronize": unsafe.Pointer(&t.l.synchronize),
		"cuStreamQuery": unsafe.Pointer(&t.l.query), "cuEventElapsedTime": unsafe.Pointer(&t.l.elapsed),
	})
	for _, at := range []*C.word{&t.l.start, &t.l.end} {
		if err == nil {
			var e *Event
			if e, err = c.NewEvent(true); err == nil {
				*at = C.word(e.handle)
			}
		}
	}
	return t, err
}

// find stores the addresses of driver functions.
func (t *Timer) find(at map[string]unsafe.Pointer) error {
	for name, to := range at {
		f, err := t.c.symbol(name)
		if err != nil {
			return err
		}
		*(*unsafe.Pointer)(to) = f
	}
	return nil
}

// The moments of a launch that a Timer notes.
const (
	Described = iota // it is described in C memory
	Set              // the driver has its parameters, or has recorded the event before it
	Submitted        // it was submitted
	Over             // its end is known
	Stages
)

// Stage makes the timer note the moments of launches, or stop to do so.
func (t *Timer) Stage(on bool) { t.l.staged = C.int(truth(on)) }

// Stages returns the moments of the last launch, as worker.Monotonic in nanoseconds.
func (t *Timer) Stages() (at [Stages]int64) {
	for i, v := range t.l.stages {
		at[i] = int64(v)
	}
	return at
}

// Launch describes a launch of a Timer.
type Launch struct {
	Function      *Function
	Grid, Block   [3]int // along x, y, z
	Cluster       [3]int // blocks of a cluster along x, y, z; one or none: those that the code has
	DynamicShared int
	Params        []uint64 // one word each (little endian: a 32-bit parameter reads the low half)
	// Bytes are those of the parameters instead, if Offsets says where each begins among them.
	Bytes   []byte
	Offsets []int
}

// Clustered reports whether the launch asks for clusters of several blocks.
func (a *Launch) Clustered() bool { return a.Cluster[0]*a.Cluster[1]*a.Cluster[2] > 1 }

// config describes a launch with clusters, but for what is to be launched; it is to be freed.
func (a *Launch) config(cooperative C.int) *C.weft_config {
	return C.weft_clustered(C.unsigned(a.Cluster[0]), C.unsigned(a.Cluster[1]), C.unsigned(a.Cluster[2]), cooperative)
}

// check rejects parameters for which there is no room.
func (a *Launch) check() error {
	switch {
	case len(a.Params) > MaxParams:
		return &Error{Call: "cuLaunchKernel", Text: fmt.Sprintf("%d parameters, at most %d", len(a.Params), MaxParams)}
	case len(a.Bytes) > MaxBytes:
		return &Error{Call: "cuLaunchKernel", Text: fmt.Sprintf("%d bytes of parameters, at most %d", len(a.Bytes), MaxBytes)}
	case len(a.Offsets) > MaxParts:
		return &Error{Call: "cuLaunchKernel", Text: fmt.Sprintf("%d parameters, at most %d", len(a.Offsets), MaxParts)}
	}
	return nil
}

// describe copies a launch to C memory.
func (t *Timer) describe(a *Launch) error {
	if err := a.check(); err != nil {
		return err
	}
	n := &t.l.node
	n.function, n.shared = C.word(a.Function.handle), C.unsigned(a.DynamicShared)
	for i := range 3 {
		n.grid[i], n.block[i] = C.unsigned(a.Grid[i]), C.unsigned(a.Block[i])
	}
	if len(a.Offsets) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&t.l.bytes[0])), MaxBytes), a.Bytes)
		for i, at := range a.Offsets {
			C.weft_part(t.l, C.int(i), C.unsigned(at))
		}
		return nil
	}
	C.weft_words(t.l)
	for i, v := range a.Params {
		t.l.values[i] = C.word(v)
	}
	return nil
}

// Run makes a launch repeat times back to back, waits for the end and returns the seconds between the events before
// and after it.
func (t *Timer) Run(a *Launch, repeat int, cooperative bool) (float64, error) {
	if err := t.describe(a); err != nil {
		return 0, err
	}
	t.l.repeat, t.l.is_cooperative = C.int(repeat), C.int(truth(cooperative))
	if a.Clustered() {
		if t.l.configured == nil {
			if err := t.find(map[string]unsafe.Pointer{"cuLaunchKernelEx": unsafe.Pointer(&t.l.configured)}); err != nil {
				return 0, err
			}
		}
		t.l.config = a.config(t.l.is_cooperative)
		t.l.config.grid, t.l.config.block, t.l.config.shared = t.l.node.grid, t.l.node.block, t.l.node.shared
		defer func() {
			C.free(unsafe.Pointer(t.l.config))
			t.l.config = nil
		}()
	}
	if code := C.weft_timed(t.l); code != 0 {
		return 0, t.c.result(C.GoString(t.l.failed), code)
	}
	return float64(t.l.ms) / 1e3, nil
}

// Chain is a graph of three kernels: one of ours, the one to launch, and another one of ours that tells the host that
// the launch has ended. The driver submits all three at once, in less time than it needs for a single launch
// otherwise.
type Chain struct {
	t            *Timer
	exec         uint64
	node, behind uint64
	answer       *Function
}

// BehindParams is the number of parameters of the last kernel of a chain, and BehindThreads its number of threads, in
// one block.
const (
	BehindParams  = C.weft_behind_params
	BehindThreads = 32
)

// NewChain creates the graph for a function, between ahead, which has one parameter and one thread, and behind. If
// early is true, the GPU prepares behind while the last blocks of the function run: behind must then wait for their
// end itself (griddepcontrol.wait). like is a launch of the function, for the places of its parameters.
func (t *Timer) NewChain(ahead *Function, param uint64, like *Launch, behind *Function, early bool) (*Chain, error) {
	if t.l.set == nil {
		if err := t.find(map[string]unsafe.Pointer{"cuGraphExecKernelNodeSetParams": unsafe.Pointer(&t.l.set), "cuGraphLaunch": unsafe.Pointer(&t.l.launch_graph)}); err != nil {
			return nil, err
		}
	}
	graph, err := t.c.get("cuGraphCreate", 0) // the graph is kept, because Run changes its nodes
	if err != nil {
		return nil, err
	}
	var nodes [3]uint64
	one := [3]int{1, 1, 1}
	middle := *like
	middle.Grid, middle.Block = one, one
	for i, l := range []Launch{{Function: ahead, Grid: one, Block: one, Params: []uint64{param}}, middle, {Function: behind, Grid: one, Block: [3]int{BehindThreads, 1, 1}}} {
		if err := t.describe(&l); err != nil {
			return nil, err
		}
		before := uint64(0)
		if i > 0 && !(early && i == 2) {
			t.c.out[1], before = nodes[i-1], 1
		}
		if nodes[i], err = t.c.get("cuGraphAddKernelNode", graph, t.c.addr(1), before, uint64(uintptr(unsafe.Pointer(&t.l.node)))); err != nil {
			return nil, err
		}
	}
	if early {
		// CUgraphEdgeData: from the programmatic port to the only one, with type programmatic.
		t.c.out[1], t.c.out[2] = nodes[1], nodes[2]
		*(*[8]byte)(unsafe.Pointer(&t.c.out[3])) = [8]byte{1, 0, 1}
		if err := t.c.call("cuGraphAddDependencies_v2", graph, t.c.addr(1), t.c.addr(2), t.c.addr(3), 1); err != nil {
			return nil, err
		}
	}
	exec, err := t.c.get("cuGraphInstantiateWithFlags", graph, 0)
	return &Chain{t: t, exec: exec, node: nodes[1], behind: nodes[2], answer: behind}, err
}

// Run makes a launch of the chain's function and waits until the last kernel, which gets params, has written every
// word of seen with the mark in its upper half.
func (c *Chain) Run(a *Launch, params [BehindParams]uint64, seen []uint64, mark uint32) error {
	t := c.t
	if err := t.describe(a); err != nil {
		return err
	}
	b := &t.l.behind
	b.function, b.grid, b.block = C.word(c.answer.handle), [3]C.unsigned{1, 1, 1}, [3]C.unsigned{BehindThreads, 1, 1}
	for i, v := range params {
		t.l.behind_values[i] = C.word(v)
	}
	t.l.seen, t.l.words, t.l.mark = (*C.uint64_t)(unsafe.SliceData(seen)), C.uint32_t(len(seen)), C.uint32_t(mark)
	if code := C.weft_chained(t.l, C.word(c.exec), C.word(c.node), C.word(c.behind)); code != 0 {
		return t.c.result(C.GoString(t.l.failed), code)
	}
	return nil
}
