package cuda

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
)

// TestRecurs compares memory after rounds.
func TestRecurs(t *testing.T) {
	one, two := &region{buffer: device.Buffer{Name: "one"}}, &region{buffer: device.Buffer{Name: "two"}}
	// after returns memory after nine rounds: f gives the words of the buffers after round i.
	after := func(f func(i uint32) (a, b []uint32)) (kept []picture) {
		bytes := func(words []uint32) (data []byte) {
			for _, w := range words {
				data = binary.LittleEndian.AppendUint32(data, w)
			}
			return append(data, 1, 2)
		}
		for i := range uint32(roundsKept) {
			a, b := f(i)
			kept = append(kept, picture{{one, bytes(a)}, {two, bytes(b)}})
		}
		return kept
	}
	for name, c := range map[string]struct {
		f      func(i uint32) (a, b []uint32)
		cycle  int // 0: none
		rising []string
	}{
		"the same":               {func(uint32) (a, b []uint32) { return []uint32{1, 2}, []uint32{3} }, 1, nil},
		"two buffers that swap":  {func(i uint32) (a, b []uint32) { return []uint32{i & 1, 7}, []uint32{1 - i&1} }, 2, nil},
		"a counter":              {func(i uint32) (a, b []uint32) { return []uint32{5, 40 + 3*i}, []uint32{1} }, 1, []string{"one"}},
		"a counter that wraps":   {func(i uint32) (a, b []uint32) { return []uint32{5}, []uint32{i - 4} }, 1, []string{"two"}},
		"swaps and a counter":    {func(i uint32) (a, b []uint32) { return []uint32{i & 1}, []uint32{2 * i} }, 2, []string{"two"}},
		"progress that slows":    {func(i uint32) (a, b []uint32) { return []uint32{100 >> i}, []uint32{1} }, 0, nil},
		"a number that falls":    {func(i uint32) (a, b []uint32) { return []uint32{100 - i}, []uint32{1} }, 0, nil},
		"one change at the end":  {func(i uint32) (a, b []uint32) { return []uint32{i / (roundsKept - 1)}, []uint32{1} }, 0, nil},
		"a cycle that is longer": {func(i uint32) (a, b []uint32) { return []uint32{i % 5}, []uint32{1} }, 0, nil},
	} {
		got, rising := 0, []string(nil)
		for cycle := longestCycle; cycle > 0; cycle-- {
			if r, same := recurs(after(c.f), cycle); same {
				got, rising = cycle, r
			}
		}
		assert.Equal(t, c.cycle, got, name)
		assert.Equal(t, c.rising, rising, name)
	}
}
