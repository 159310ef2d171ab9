package shared

import "math/bits"

// Lanes is the number of lanes of a warp.
const Lanes = 32

// Kind is what an access does to the words of a bank, which decides which lanes one pass serves.
type Kind uint8

// The kinds of accesses.
const (
	Load   Kind = iota // lanes on one word are served together
	Store              // lanes on one word are served together
	Atomic             // each lane needs a pass of its own
	Count              // adds 1 without result: the lanes on one word are counted, then served together
	Swap               // compare and swap: each lane needs two passes, one for each operand
)

// Passes is how an access is served.
type Passes struct {
	// Cycles is how many passes the access occupies: Count, or one for each phase if that is more, because phases
	// without lanes take their turn, too.
	Cycles int
	// Count is the passes that Nsight Compute counts, as wavefronts: those of phases that have lanes.
	Count int
	// Conflicts is the passes that it counts as bank conflicts: those beyond the first of each phase.
	Conflicts int
}

// Banks groups the words of an access by bank. The zero value is ready for use.
type Banks struct {
	head  [maxBanks]uint8 // index + 1 of the bank's last word; 0 for none
	count [maxBanks]uint8 // words or lanes
	word  [4 * Lanes]uint32
	next  [4 * Lanes]uint8
}

const maxBanks = 256

// wordBytes is the width of a bank.
const wordBytes = 4

// Of returns the passes of an access by the lanes of mask, bytes wide, at addrs, which are multiples of the width, on
// a memory with a number of banks that is a power of two.
//
// The lanes are served in phases of 128 bytes: all 32 lanes for up to 4 bytes each, half a warp for 8, a quarter for
// 16. A phase takes as many passes as its fullest bank has words (or lanes, for atomics). Two phases of a load become
// one if of each pair of lanes l and l^1, or of each pair l and l^2, both access the same address or one is inactive.
func (b *Banks) Of(kind Kind, mask uint32, addrs *[Lanes]uint64, bytes int, banks uint64) Passes {
	words := max(bytes/wordBytes, 1)
	lanes := Lanes / words
	if kind == Load && words > 1 && paired(mask, addrs) {
		lanes *= 2
	}
	each := 1
	if kind == Swap {
		each = 2
	}
	var p Passes
	phase := uint32(1<<lanes - 1)
	// A phase without active lanes takes no pass.
	for range Lanes / lanes {
		if m := mask & phase; m != 0 {
			n := b.fullest(kind, m, addrs, words, banks)
			p.Conflicts += n - 1
			p.Count += n * each
		}
		phase <<= lanes
	}
	p.Cycles = max(p.Count, Lanes/lanes*each)
	return p
}

// paired reports whether the lanes of mask pair up as l and l^1, or as l and l^2, on one address each.
func paired(mask uint32, addrs *[Lanes]uint64) bool {
	one, two := true, true
	for m := mask; m != 0 && (one || two); m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		one = one && (mask>>(l^1)&1 == 0 || addrs[l] == addrs[l^1])
		two = two && (mask>>(l^2)&1 == 0 || addrs[l] == addrs[l^2])
	}
	return one || two
}

// fullest returns the number of different words, or of lanes of an atomic, of the bank that has most of them.
func (b *Banks) fullest(kind Kind, mask uint32, addrs *[Lanes]uint64, words int, banks uint64) int {
	if kind == Atomic || kind == Swap {
		return b.lanes(mask, addrs, words, banks)
	}
	low, high := ^uint64(0), uint64(0)
	for m := mask; m != 0; m &= m - 1 {
		a := addrs[bits.TrailingZeros32(m)&31]
		low, high = min(low, a), max(high, a)
	}
	if high/wordBytes-low/wordBytes+uint64(words) <= banks {
		return 1 // no bank has two of the words
	}
	return b.words(mask, addrs, uint64(words), banks)
}

// words counts different words.
func (b *Banks) words(mask uint32, addrs *[Lanes]uint64, words, banks uint64) int {
	n, most := 0, uint8(1)
	for m := mask; m != 0; m &= m - 1 {
		first := addrs[bits.TrailingZeros32(m)&31] / wordBytes
	next:
		for a := first; a < first+words; a++ {
			bank, word := a&(banks-1), uint32(a)
			for i := b.head[bank]; i != 0; i = b.next[i-1] {
				if b.word[i-1] == word {
					continue next
				}
			}
			b.word[n], b.next[n] = word, b.head[bank]
			n++
			b.head[bank] = uint8(n)
			b.count[bank]++
			most = max(most, b.count[bank])
		}
	}
	// Only the banks that were used have to be cleared.
	for _, w := range b.word[:n] {
		bank := uint64(w) & (banks - 1)
		b.head[bank], b.count[bank] = 0, 0
	}
	return int(most)
}

// lanes counts lanes, whatever their words.
func (b *Banks) lanes(mask uint32, addrs *[Lanes]uint64, words int, banks uint64) int {
	most := uint8(1)
	for m := mask; m != 0; m &= m - 1 {
		first := addrs[bits.TrailingZeros32(m)&31] / wordBytes
		for a := first; a < first+uint64(words); a++ {
			b.count[a&(banks-1)]++
			most = max(most, b.count[a&(banks-1)])
		}
	}
	for m := mask; m != 0; m &= m - 1 {
		first := addrs[bits.TrailingZeros32(m)&31] / wordBytes
		for a := first; a < first+uint64(words); a++ {
			b.count[a&(banks-1)] = 0
		}
	}
	return int(most)
}

// FirstOfBanks returns those of the lanes of mask that are the first of their phase on their bank: the lanes that one
// round of a compare-and-swap loop can serve.
func (b *Banks) FirstOfBanks(mask uint32, addrs *[Lanes]uint64, bytes int, banks uint64) (first uint32) {
	lanes := Lanes / max(bytes/wordBytes, 1)
	phase := uint32(1<<lanes - 1)
	for range Lanes / lanes {
		for m := mask & phase; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			if c := &b.count[addrs[l]/wordBytes&(banks-1)]; *c == 0 {
				*c = 1
				first |= 1 << l
			}
		}
		for m := mask & phase; m != 0; m &= m - 1 {
			b.count[addrs[bits.TrailingZeros32(m)&31]/wordBytes&(banks-1)] = 0
		}
		phase <<= lanes
	}
	return first
}
