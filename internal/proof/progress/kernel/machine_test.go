package kernel_test

import (
	"math/rand/v2"
	"slices"
)

// machine is a program of k.Interpret, and an enumeration of its executions by the rules that PTX and the models of progress have in words: each
// block takes one instruction after the other, and one that waits is taken when what it waits for holds. No loop, no fairness and no graph is
// needed: since every instruction is taken at most once, a program hangs exactly if it comes to a point at which all that must go on wait.
type machine struct {
	cluster int
	code    [][]instruction // by block
}

// instruction is one of k.Interpret. Its operations are numbered as there.
type instruction struct{ op, rank, word, value uint32 }

const (
	opLeave = iota
	opStore
	opAdd
	opAwait
	opStoreGlobal
	opAwaitGlobal
	opArrive
	opWait
	opArriveAt
	opWaitAt
	opExpect
	opCopy
	opSend
)

// randomMachine returns a program of two or four blocks in one or two clusters, which may have copies in bulk.
func randomMachine(r *rand.Rand, copies bool) *machine {
	m := &machine{cluster: 2}
	blocks, length := 2, 2+r.IntN(3)
	if r.IntN(2) == 0 {
		blocks, length = 4, 1+r.IntN(2)
	}
	for range blocks {
		var list []instruction
		arrived := false
		for range length {
			in := instruction{uint32(1 + r.IntN(opWaitAt)), uint32(r.IntN(2)), uint32(r.IntN(2)), uint32(r.IntN(3))}
			switch {
			case copies && r.IntN(2) == 0: // more of them come than not
				in.op = []uint32{opArriveAt, opWaitAt, opExpect, opExpect, opCopy, opSend, opSend}[r.IntN(7)]
				if in.value %= 2; in.op == opExpect {
					in.value++
				}
			case blocks > 2 && r.IntN(2) == 0: // clusters that wait for each other
				in.op, in.word, in.value = opStoreGlobal+in.op%2, 0, 1
			case in.op == opAwait && r.IntN(2) == 0: // or else nearly all programs hang
				in.op = opStore
			case in.op == opWaitAt:
				if in.value %= 2; r.IntN(2) == 0 {
					in.op = opArriveAt
				}
			case in.op >= opStoreGlobal && in.op <= opAwaitGlobal && blocks == 2:
				in.op = opArrive // what clusters do with each other needs two
				fallthrough
			case in.op == opArrive, in.op == opWait:
				if in.op = opArrive; arrived {
					in.op = opWait
				}
				arrived = !arrived
			}
			list = append(list, in)
		}
		if arrived {
			list = append(list, instruction{op: opWait})
		}
		if r.IntN(4) > 0 { // or else it may leave while others still use its memory
			list = append(list, instruction{op: opArrive}, instruction{op: opWait})
		}
		m.code = append(m.code, list)
	}
	return m
}

// encode returns the program as k.Interpret reads it.
func (m *machine) encode() (length uint32, code []uint32) {
	for _, list := range m.code {
		length = max(length, uint32(len(list)))
	}
	for _, list := range m.code {
		for i := range length {
			var in instruction // leaves
			if i < uint32(len(list)) {
				in = list[i]
			}
			code = append(code, in.op|in.rank<<4|in.word<<8|in.value<<12)
		}
	}
	return length, code
}

// The most blocks of a program.
const most = 4

// moment is a state of a program. It is comparable.
type moment struct {
	at       [most]int       // instruction that a block takes next, plus 1; 0 until it has begun
	arrived  [most]bool      // at the barrier of the cluster, which has not opened since
	words    [most][2]uint32 // by block
	mbarrier [most]mbarrier  // of a block
	own      [most]int       // copies to a block that are under way from global memory
	sent     [most][most]int // from shared memory, by block from which and to which
	global   [2]uint32
	begun    [most]bool // by cluster
}

// mbarrier is the mbarrier of a block, whose phases take two arrivals: how many of the current one have come, bytes that it expects beyond those that have
// come, in 16, and its parity.
type mbarrier struct {
	come, bytes int
	parity      uint32
}

// comes changes an mbarrier by arrivals and bytes; false if more arrive than a phase takes.
func (b *mbarrier) comes(arrivals, bytes int) bool {
	if b.come+arrivals > 2 {
		return false
	}
	b.come, b.bytes = b.come+arrivals, b.bytes+bytes
	if b.come == 2 && b.bytes == 0 {
		b.come, b.parity = 0, b.parity^1
	}
	return true
}

// outcome is what the executions of a program may come to.
type outcome struct {
	fault bool     // an access to the memory of a block that has ended
	hangs []string // the models that allow one that does not end
}

// verdict enumerates the executions.
func (m *machine) verdict() (all outcome) {
	seen, hangs := map[moment]bool{}, map[string]bool{}
	var visit func(moment)
	visit = func(s moment) {
		if seen[s] {
			return
		}
		seen[s] = true
		for name, fair := range m.fair(&s) {
			stuck := len(fair) > 0 && s.own == [most]int{} && s.sent == [most][most]int{} // a copy comes, whoever goes on
			for _, block := range fair {
				stuck = stuck && (m.ended(&s, block) || m.waits(&s, block))
			}
			hangs[name] = hangs[name] || stuck
		}
		for to := range m.code {
			if next := s; s.own[to] > 0 {
				next.own[to]--
				next.mbarrier[to].comes(0, -1)
				visit(next)
			}
			for from := range m.code {
				if next := s; s.sent[from][to] > 0 {
					next.sent[from][to]--
					next.mbarrier[to].comes(0, -1)
					visit(next)
				}
			}
		}
		for block := range m.code {
			if m.ended(&s, block) || m.waits(&s, block) {
				continue
			}
			next := s
			if !m.take(&next, block) {
				all.fault = true
				continue
			}
			visit(next)
		}
	}
	visit(moment{})
	for name, may := range hangs {
		if may {
			all.hangs = append(all.hangs, name, map[bool]string{true: "strong_fair", false: name + "_strong"}[name == "weak_fair"])
		}
	}
	slices.Sort(all.hangs)
	return all
}

// fair returns for each model the blocks that must go on: all of a cluster or none of it.
func (m *machine) fair(s *moment) map[string][]int {
	clusters := len(m.code) / m.cluster
	lowest, highest := clusters, -1
	for c := range clusters {
		left := false
		for rank := range m.cluster {
			left = left || !m.ended(s, c*m.cluster+rank)
		}
		if left && lowest == clusters {
			lowest = c
		}
		if s.begun[c] {
			highest = c
		}
	}
	rule := map[string]func(c int) bool{
		"obe":       func(c int) bool { return s.begun[c] },
		"hsa":       func(c int) bool { return c == lowest },
		"hsa_obe":   func(c int) bool { return s.begun[c] || c == lowest },
		"lobe":      func(c int) bool { return c <= highest },
		"weak_fair": func(int) bool { return true },
	}
	out := map[string][]int{}
	for name, holds := range rule {
		for block := range m.code {
			if holds(block/m.cluster) && !m.ended(s, block) {
				out[name] = append(out[name], block)
			}
		}
	}
	return out
}

func (m *machine) ended(s *moment, block int) bool { return s.at[block] == len(m.code[block])+1 }

// next returns the instruction that a block takes next: none of an operation, if it has not begun.
func (m *machine) next(s *moment, block int) instruction {
	if s.at[block] == 0 {
		return instruction{}
	}
	return m.code[block][s.at[block]-1]
}

// of returns the block of a rank in the cluster of another.
func (m *machine) of(block int, rank uint32) int { return block/m.cluster*m.cluster + int(rank) }

// waits reports whether a block that has not ended cannot take its next instruction.
func (m *machine) waits(s *moment, block int) bool {
	in := m.next(s, block)
	switch owner := m.of(block, in.rank); in.op {
	case opAwait:
		return !m.ended(s, owner) && s.words[owner][in.word] != in.value
	case opAwaitGlobal:
		return s.global[in.word] != in.value
	case opWait:
		return s.arrived[block]
	case opWaitAt:
		return s.mbarrier[block].parity == in.value
	}
	return false
}

// take takes an instruction. It returns false if that faults.
func (m *machine) take(s *moment, block int) bool {
	in := m.next(s, block)
	owner := m.of(block, in.rank)
	switch in.op {
	case opStore, opAdd, opAwait, opArriveAt, opSend:
		if m.ended(s, owner) {
			return false
		}
	}
	s.at[block]++
	s.begun[block/m.cluster] = true
	switch in.op {
	case opStore:
		s.words[owner][in.word] = in.value
	case opAdd:
		s.words[owner][in.word] += in.value
	case opStoreGlobal:
		s.global[in.word] = in.value
	case opArrive:
		s.arrived[block] = true
	case opArriveAt:
		if !s.mbarrier[owner].comes(1, 0) {
			return false
		}
	case opExpect:
		s.mbarrier[block].comes(0, int(in.value))
	case opCopy:
		s.own[block]++
	case opSend:
		s.sent[block][owner]++
	}
	if m.ended(s, block) && !m.leave(s, block) {
		return false
	}
	m.open(s, block/m.cluster*m.cluster)
	return true
}

// leave ends the use of a block's shared memory. It returns false if a copy may still read or write it of which a thread should have known.
func (m *machine) leave(s *moment, block int) bool {
	for other := range m.code {
		if s.sent[block][other] > 0 || s.sent[other][block] > 0 {
			return false
		}
	}
	s.own[block] = 0
	return true
}

// open opens the barrier of the cluster that begins with a block if all blocks have arrived that have not ended.
func (m *machine) open(s *moment, first int) {
	for block := first; block < first+m.cluster; block++ {
		if !m.ended(s, block) && !s.arrived[block] {
			return
		}
	}
	for block := first; block < first+m.cluster; block++ {
		s.arrived[block] = false
	}
}
