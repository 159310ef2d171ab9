//go:build !kernel

package simdx

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// MemoryArg is a Memory as a launch argument.
type MemoryArg struct {
	Lists, Bins, Held, Marks, Counts, Parts, Locks, Status, History, Queue, Edges, Levels device.Buffer
	Half                                                                                  uint32
	Push, Pull                                                                            Shape
	BinSize, Stage                                                                        uint32
}

// shape returns the lists for the degrees of a graph, with room for each vertex once. If
// split is 0, no vertex has several entries; otherwise those of the large list may.
func shape(g *graph.CSR, medium, large, split int) Shape {
	s := Shape{Medium: uint32(medium), Large: uint32(max(large, medium)), Split: ^uint32(0)}
	if split > 0 {
		s.Split = max(uint32(split), s.Large-1)
	}
	var f frontier
	for v := range g.Vertices() {
		f.add(s, uint32(g.Row[v+1]-g.Row[v]))
	}
	s.SmallRoom, s.MediumRoom, s.LargeRoom = f.Small, f.Medium, f.Large
	return s
}

// extend makes room for the lists of another graph as well: in phases that go in reverse, a
// vertex belongs to the list of its incoming arcs.
func (s *Shape) extend(o Shape) {
	s.SmallRoom, s.MediumRoom, s.LargeRoom = max(s.SmallRoom, o.SmallRoom), max(s.MediumRoom, o.MediumRoom), max(s.LargeRoom, o.LargeRoom)
}

// batchArcs is the room of the active edge list of the batch filter, in arcs of the graph: its
// frontier may have a vertex several times, and section 4 says that the list takes up to 2|E|.
const batchArcs = 2

// memory allocates what the kernels share.
func (r *runner) memory(j scheduler.Job, m *scheduler.Memory) error {
	p := j.Params
	threads := r.most * p.Int("block")
	bins, edges := 0, 0 // edges are entries of two words
	switch {
	case r.push && (r.filter == JIT || r.filter == Online):
		bins = threads * p.Int("bin")
	case r.push && r.filter == Batch:
		edges = batchArcs * j.Graph.Arcs()
	}
	r.mem.BinSize = uint32(p.Int("bin"))
	r.mem.Half = uint32(max(r.mem.Push.entries(), r.mem.Pull.entries()))
	r.mem.Lists = m.Alloc("lists", device.U32, 2*entryWords*int(r.mem.Half))
	r.mem.Bins = m.Alloc("bins", device.U32, bins)
	r.mem.Held = m.Copy("held", make([]uint32, threads))
	r.mem.Counts = m.Copy("counts", make([]uint32, sets*setWords))
	parts := threads / 32
	if r.filter == Strided {
		parts = threads
	}
	r.mem.Parts = m.Alloc("parts", device.U32, partWords*(r.most+parts))
	r.mem.Locks = m.Copy("barrier", make([]uint32, 2*r.most))
	r.mem.Status = m.Alloc("status", device.U32, StatusWords)
	r.mem.History = m.Alloc("history", device.U32, historyWords*p.Int("history"))
	levels := 0
	if r.levels {
		levels = j.Graph.Vertices() + 1 // each has a vertex, and the last one an end
	}
	r.mem.Levels = m.Alloc("levels", device.U32, levelWords*levels)
	err := m.Err()
	r.mem.Edges = m.Alloc("edges", device.U32, 2*edges)
	bytes, besides := 8*edges, ""
	if r.push && r.filter == Batch && j.Algorithm.Consumes() {
		kind, _ := device.KindOfType(j.Algorithm.Value)
		r.taken = m.Alloc("taken", kind, j.Graph.Vertices())
		bytes += kind.Bytes() * j.Graph.Vertices()
		besides = fmt.Sprintf(", and for what %d vertices send, %d bytes each", j.Graph.Vertices(), kind.Bytes())
	}
	if err == nil && bytes > 0 && m.Err() != nil {
		return fmt.Errorf("filter=batch needs %d MiB for an active edge list with room for %d times the %d arcs of the graph, 8 bytes each%s; filter=jit needs no such list: %w",
			bytes>>20, batchArcs, j.Graph.Arcs(), besides, m.Err())
	}
	return m.Err()
}

// stageRoom returns the room of the small list of a block in shared memory: what was asked
// for, as far as it fits into that many bytes together with the other lists, twice.
func stageRoom(asked, bytes int) uint32 {
	const unit = 16 // so that the large list, a sixteenth of it, has room
	room := asked / unit * unit
	for room > 0 && StageBytes(uint32(room)) > bytes {
		room -= unit
	}
	return uint32(room)
}

// StageBytes returns the shared memory of a block's lists.
func StageBytes(room uint32) int { return 2 * 4 * entryWords * int(StageEntries(room)) }

// transposed returns the graph of the incoming arcs on the device. The one of the outgoing
// arcs is there already.
func transposed(m *scheduler.Memory, out, in *graph.CSR, there scheduler.GraphArg) scheduler.GraphArg {
	if in == out {
		return there
	}
	return m.Graph(in)
}
