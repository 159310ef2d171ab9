package profile

import (
	"cmp"
	"slices"
)

// DefaultAddresses is how many addresses (and as many sectors) a profile tracks by default.
const DefaultAddresses = 4096

// Space is a memory that atomics access.
type Space uint8

// The spaces.
const (
	Global Space = iota
	Shared
)

// String returns "global" or "shared".
func (s Space) String() string {
	if s == Shared {
		return "shared"
	}
	return "global"
}

// Address is a place for which atomics, or requests for a sector, contended.
type Address struct {
	Space  Space
	Buffer string // name of the buffer or of the shared variable
	Index  int    // index of the element
	Single bool   // not an array: Index is 0
	Byte   int    // byte in the element, for shared structs
	// Kernel is the index in Profile.Kernels of the kernel in which its queue was longest; PC is its instruction there.
	Kernel, PC int
	// Ops are the recorded operations of lanes; Missed is an upper bound on the operations before the place was
	// tracked: only the most contended places are.
	Ops, Missed uint64
	// Queue is the largest number of operations that had arrived and were not done at the same time. In shared memory,
	// where a pipe serves one warp at a time, it is the number of lanes of a warp.
	Queue uint32
	// Serial is the time, in ticks, for which the unit worked on this address, one operation at a time; Waited is the
	// sum of the times that operations waited for it.
	Serial, Waited uint64
}

// Buffer is the sum over a buffer or shared variable.
type Buffer struct {
	Space          Space
	Name           string
	Ops            uint64
	Queue          uint32 // the longest at any of its tracked addresses
	Serial, Waited uint64
}

// Sectors returns the sectors of memory whose requests (Ops of an Address) found the port of their L2 slice busy, the
// one with the longest total wait first, at most n; if n is 0, all tracked sectors. Index is the first element.
func (p *Profile) Sectors(n int) []Address {
	return places(p.Requests, n, func(a *Address) uint64 { return a.Waited })
}

// Addresses returns the most contended places of atomics, the one that kept a unit busy longest first, at most n; if n
// is 0, all tracked places.
func (p *Profile) Addresses(n int) []Address {
	return places(p.Atomics, n, func(a *Address) uint64 { return a.Serial })
}

func places(tracked []Address, n int, weight func(*Address) uint64) []Address {
	out := slices.Clone(tracked)
	slices.SortFunc(out, func(a, b Address) int {
		return cmp.Or(cmp.Compare(weight(&b), weight(&a)), cmp.Compare(b.Ops, a.Ops), cmp.Compare(a.Buffer, b.Buffer),
			cmp.Compare(a.Index, b.Index), cmp.Compare(a.Byte, b.Byte), cmp.Compare(a.Kernel, b.Kernel))
	})
	if n > 0 && len(out) > n {
		out = out[:n]
	}
	return out
}

// Buffers returns the buffers and shared variables that atomics accessed, the one that kept units busy longest first.
func (p *Profile) Buffers() []Buffer {
	out := []Buffer{}
	for _, b := range p.Accessed {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(a, b Buffer) int {
		return cmp.Or(cmp.Compare(b.Serial, a.Serial), cmp.Compare(b.Ops, a.Ops), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Space, b.Space))
	})
	return out
}
