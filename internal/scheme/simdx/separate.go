package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the kernels without fusion (section 5, table 2): one launch for each list
// and for each step of the task management. The host reads the counters in between.

// Send is the compute step of a push iteration for one list, whose length is n. The list is
// that of the mapping: small for threads, medium for warps, large for blocks.
func Send[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, m Memory, run Run, n uint32) {
	var mapping M
	m.clear(t, run.Step+2)
	found := open(t, m, run.Filter != Ballot)
	found.begin(run.Step+1, run.Iteration+1, g.Row)
	found.held = m.Held[t.Global()]
	s := sender[A, V]{alg: alg, g: g, values: values, phase: run.Phase}
	from := m.lists(run.Step, m.Push)
	switch mapping.Team() {
	case scheduler.OneThread:
		sendSmall(t, s, from, n, grid(t), &found)
	case scheduler.OneWarp:
		sendMedium(t, s, from, n, grid(t), &found)
	case scheduler.OneBlock:
		sendLarge(t, s, from, n, grid(t), &found)
	}
	m.Held[t.Global()] = found.held
}

// Concatenate is the second step of the online filter: it moves the bins of all threads to
// the lists of the frontier of Run.Step. The grid has a thread for each bin.
func Concatenate(t gpu.Thread, row []uint32, m Memory, run Run) {
	found := open(t, m, true)
	found.begin(run.Step, run.Iteration, row)
	found.held = m.Held[t.Global()]
	found.concatenate(t)
	m.Held[t.Global()] = 0
}

// Count and Write are the two halves of the ballot filter, which makes the lists of the
// frontier of Run.Step: of the vertices in the queue if Run.First is not 0, otherwise of the
// marked ones. Their grids are equal.
func Count(t gpu.Thread, row []uint32, m Memory, run Run) {
	n, pick := picked(m, run)
	count(t, m, m.Push, n, pick, func(v uint32) entry { return whole(row, v) })
}

// Write is the second half; see Count.
func Write(t gpu.Thread, row []uint32, m Memory, run Run) {
	n, pick := picked(m, run)
	all := write(t, m, m.lists(run.Step, m.Push), n, pick, func(v uint32) entry { return whole(row, v) })
	m.announce(t, run.Step, all)
}

// picked returns what Count and Write scan.
func picked(m Memory, run Run) (n uint32, pick func(i uint32) (v uint32, ok bool)) {
	n = gpu.Len(m.Marks)
	if run.First > 0 {
		n = run.First
	}
	return n, func(i uint32) (v uint32, ok bool) {
		if run.First > 0 {
			return m.Queue[i], true
		}
		return i, gpu.Load(&m.Marks[i]) == run.Iteration
	}
}

// announce sets the size of the frontier of a step.
func (m Memory) announce(t gpu.Thread, step uint32, f frontier) {
	if t.Global() <= classes {
		gpu.Store(&m.set(step)[t.Global()], f.of(t.Global()))
	}
}

// CountOpen and WriteOpen are the two halves of the ballot filter for the lists of a pull:
// of the vertices whose values may still change. The others have the same value in both
// arrays of values from then on. The grids are equal.
func CountOpen[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, in scheduler.Graph, outRow []uint32, values, next []V, m Memory, run Run) {
	count(t, m, m.Pull, in.Vertices(), openAndCopy[A, V](alg, values, next, run.Phase), expandIn(in, outRow))
}

// WriteOpen is the second half; see CountOpen.
func WriteOpen[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, in scheduler.Graph, outRow []uint32, values []V, m Memory, run Run) {
	all := write(t, m, m.lists(run.Step, m.Pull), in.Vertices(), isOpen[A, V](alg, values, run.Phase), expandIn(in, outRow))
	m.announce(t, run.Step, all)
}

// Gather is the compute step of a pull iteration for one list, whose length is n. The lists
// are those of step Run.First, and the iteration is that of step Run.Step.
func Gather[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, in scheduler.Graph, values, next []V, m Memory, run Run, n uint32) {
	var mapping M
	m.clear(t, run.Step+2)
	p := puller[A, V]{alg: alg, in: in, values: values, next: next, m: m, mark: run.Iteration + 1, phase: run.Phase}
	from := m.lists(run.First, m.Pull)
	var done pulled
	switch mapping.Team() {
	case scheduler.OneThread:
		done = pullList[A, M, V](t, p, from, small, n, t.Global(), t.Stride())
	case scheduler.OneWarp:
		done = pullList[A, M, V](t, p, from, medium, n, t.Global()/gpu.WarpSize, t.Stride()/gpu.WarpSize)
	case scheduler.OneBlock:
		done = pullList[A, M, V](t, p, from, large, n, t.Block(), t.GridDim())
	}
	done.report(t, m.set(run.Step+1))
}
