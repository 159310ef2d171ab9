package shared_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/internal/shared"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// request is what one bank must do for a lane.
type request struct {
	lane int
	word uint64
}

// serve performs the requests of a phase pass by pass, as banks do: in each pass every bank takes its first request,
// and with it, if shared, all others for the same word. It returns the number of passes.
func serve(requests []request, banks uint64, together bool) (passes int) {
	for len(requests) > 0 {
		taken := map[uint64]request{}
		var left []request
		for _, r := range requests {
			first, busy := taken[r.word%banks]
			switch {
			case !busy:
				taken[r.word%banks] = r
			case together && first.word == r.word:
			default:
				left = append(left, r)
			}
		}
		requests = left
		passes++
	}
	return passes
}

// byHand is the oracle: the passes of an access by the rules as published and measured, with none of the model's code.
func byHand(kind shared.Kind, mask uint32, addrs *[shared.Lanes]uint64, bytes int, banks uint64) (p shared.Passes) {
	on := func(l int) bool { return mask>>l&1 != 0 }
	lanes := map[bool]int{true: 32, false: 128 / max(bytes, 4)}[bytes <= 4]
	if kind == shared.Load && bytes > 4 {
		for _, x := range []int{1, 2} {
			alike := true
			for l := range shared.Lanes {
				alike = alike && (!on(l) || !on(l^x) || addrs[l] == addrs[l^x])
			}
			if alike {
				lanes = min(2*128/bytes, 32)
			}
		}
	}
	for first := 0; first < shared.Lanes; first += lanes {
		var requests []request
		for l := first; l < first+lanes; l++ {
			for b := 0; on(l) && b < max(bytes/4, 1); b++ {
				requests = append(requests, request{l, addrs[l]/4 + uint64(b)})
			}
		}
		n := serve(requests, banks, kind != shared.Atomic && kind != shared.Swap)
		p.Conflicts += max(n-1, 0)
		if kind == shared.Swap {
			n *= 2
		}
		p.Count += n
		p.Cycles++
		if kind == shared.Swap {
			p.Cycles++
		}
	}
	p.Cycles = max(p.Cycles, p.Count)
	return p
}

// access makes lanes' addresses of one of the shapes that kernels have: strides, words of one bank, few words, lanes
// in groups, random words; wide enough that each shape meets several rows of the banks.
func access(r *rand.Rand, bytes int) (mask uint32, addrs [shared.Lanes]uint64) {
	mask = ^uint32(0)
	switch r.IntN(4) {
	case 0:
		mask = r.Uint32()
	case 1:
		mask = 1<<r.IntN(32) - 1
	}
	shape, stride, group, rows := r.IntN(6), r.Uint64N(40), 1+r.IntN(32), 1+r.Uint64N(33)
	words := r.Uint64N(64)
	for l := range addrs {
		i := uint64(l)
		var word uint64
		switch shape {
		case 0:
			word = i * stride
		case 1:
			word = i % rows * 32 // words of one bank
		case 2:
			word = uint64(l/group) * max(uint64(bytes)/4, 1)
		case 3:
			word = r.Uint64N(rows * 8)
		case 4:
			word = i%rows*32 + i/rows*4 // a fragment of a tile
		case 5:
			word = (31 - i) * stride
		}
		addrs[l] = (words*4 + word*4) / uint64(bytes) * uint64(bytes)
	}
	if r.IntN(3) == 0 {
		for l := 0; l < shared.Lanes; l += 2 {
			addrs[l|1] = addrs[l]
		}
	}
	return mask, addrs
}

// TestPassesByHand compares the model with the oracle for 200,000 accesses of all kinds, widths and numbers of banks.
func TestPassesByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 1))
	var b shared.Banks
	seen := map[shared.Passes]int{}
	for range 200_000 {
		kind := shared.Kind(r.IntN(5))
		bytes := []int{1, 2, 4, 8, 16}[r.IntN(5)]
		banks := uint64(1) << r.IntN(7)
		if r.IntN(2) == 0 {
			banks = 32
		}
		mask, addrs := access(r, bytes)
		want := byHand(kind, mask, &addrs, bytes, banks)
		require.Equal(t, want, b.Of(kind, mask, &addrs, bytes, banks), "kind %d, %d bytes, %d banks, lanes %x at %v", kind, bytes, banks, mask, addrs)
		seen[want]++
	}
	require.Greater(t, len(seen), 150, "the accesses hardly differ")
}

// TestPassesOfColumns counts a few accesses by hand: peak, capacity and order of the rows that users meet.
func TestPassesOfColumns(t *testing.T) {
	var b shared.Banks
	for _, c := range []struct {
		name  string
		kind  shared.Kind
		bytes int
		at    func(l uint64) uint64 // word
		want  shared.Passes
	}{
		{"a row", shared.Load, 4, func(l uint64) uint64 { return l }, shared.Passes{Cycles: 1, Count: 1}},
		{"a column", shared.Load, 4, func(l uint64) uint64 { return l * 32 }, shared.Passes{Cycles: 32, Count: 32, Conflicts: 31}},
		{"a row of 16 bytes", shared.Load, 16, func(l uint64) uint64 { return l * 4 }, shared.Passes{Cycles: 4, Count: 4}},
		{"a fragment of 16 bytes of a tile without padding", shared.Load, 16, func(l uint64) uint64 { return l%8*32 + l/8*4 }, shared.Passes{Cycles: 32, Count: 32, Conflicts: 28}},
		{"the same, padded", shared.Load, 16, func(l uint64) uint64 { return l%8*36 + l/8*4 }, shared.Passes{Cycles: 4, Count: 4}},
		{"one element of 16 bytes", shared.Load, 16, func(uint64) uint64 { return 8 }, shared.Passes{Cycles: 2, Count: 2}},
		{"one element of 16 bytes, stored", shared.Store, 16, func(uint64) uint64 { return 8 }, shared.Passes{Cycles: 4, Count: 4}},
		{"every other row of 8 bytes", shared.Load, 8, func(l uint64) uint64 { return l * 4 }, shared.Passes{Cycles: 4, Count: 4, Conflicts: 2}},
		{"atomics on a column", shared.Atomic, 4, func(l uint64) uint64 { return l * 32 }, shared.Passes{Cycles: 32, Count: 32, Conflicts: 31}},
		{"atomics on one word", shared.Atomic, 4, func(uint64) uint64 { return 7 }, shared.Passes{Cycles: 32, Count: 32, Conflicts: 31}},
		{"atomics on two words of a bank", shared.Atomic, 4, func(l uint64) uint64 { return l % 2 * 32 }, shared.Passes{Cycles: 32, Count: 32, Conflicts: 31}},
		{"counts on one word", shared.Count, 4, func(uint64) uint64 { return 7 }, shared.Passes{Cycles: 1, Count: 1}},
		{"counts on two words of a bank", shared.Count, 4, func(l uint64) uint64 { return l % 2 * 32 }, shared.Passes{Cycles: 2, Count: 2, Conflicts: 1}},
		{"counts on a column", shared.Count, 4, func(l uint64) uint64 { return l * 32 }, shared.Passes{Cycles: 32, Count: 32, Conflicts: 31}},
		{"swaps on one word", shared.Swap, 4, func(uint64) uint64 { return 7 }, shared.Passes{Cycles: 64, Count: 64, Conflicts: 31}},
		{"swaps on a row", shared.Swap, 4, func(l uint64) uint64 { return l }, shared.Passes{Cycles: 2, Count: 2}},
	} {
		var addrs [shared.Lanes]uint64
		for l := range addrs {
			addrs[l] = c.at(uint64(l)) * 4
		}
		assert.Equal(t, c.want, b.Of(c.kind, ^uint32(0), &addrs, c.bytes, 32), c.name)
	}
}

// TestStage keeps the order of passes and never delivers more than one each ticks.
func TestStage(t *testing.T) {
	const each = timing.TicksPerCycle
	var s shared.Stage
	assert.Equal(t, timing.At(10), s.Take(timing.At(10), 4, each))
	assert.Equal(t, timing.At(14), s.Take(timing.At(11), 1, each), "waits for the four passes")
	assert.Equal(t, timing.At(15), s.Free())
	assert.Equal(t, timing.At(20), s.Take(timing.At(20), 2, each), "an idle stage begins at once")
	assert.Equal(t, timing.At(22), s.Free())
}

// TestFirstOfBanks returns one lane for each bank and phase.
func TestFirstOfBanks(t *testing.T) {
	var b shared.Banks
	var addrs [shared.Lanes]uint64
	assert.EqualValues(t, 1, b.FirstOfBanks(^uint32(0), &addrs, 4, 32), "one word")
	assert.EqualValues(t, 1|1<<16, b.FirstOfBanks(^uint32(0), &addrs, 8, 32), "one word in each half")
	for l := range addrs {
		addrs[l] = uint64(l) * 64 // 16 words apart: banks 0 and 16 in turn
	}
	assert.EqualValues(t, 0b11, b.FirstOfBanks(^uint32(0), &addrs, 4, 32))
	assert.EqualValues(t, 0b1100, b.FirstOfBanks(^uint32(0)&^3, &addrs, 4, 32))
}

func BenchmarkPasses(b *testing.B) {
	var banks shared.Banks
	var row, column [shared.Lanes]uint64
	for l := range row {
		row[l], column[l] = uint64(l)*4, uint64(l)*128
	}
	b.Run("row", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			banks.Of(shared.Load, ^uint32(0), &row, 4, 32)
		}
	})
	b.Run("column", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			banks.Of(shared.Load, ^uint32(0), &column, 4, 32)
		}
	})
}
