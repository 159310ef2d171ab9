package tensormap_test

import (
	"encoding/binary"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/tensormap"
)

// TestRuns compares the runs of random boxes with the definition of a box, byte by byte.
func TestRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		dims := 1 + rng.IntN(3)
		m := tensormap.New(dims, 1<<rng.IntN(4))
		m.Swizzle = []uint64{0, 0, 32, 64, 128}[rng.IntN(5)]
		pitch := uint64(1)
		for d := range dims {
			m.Sizes[d], m.Box[d] = 1+rng.Uint64N(20), 1+rng.Uint64N(6)
			if d > 0 {
				pitch = (pitch*m.Sizes[d-1]+15)/16*16 + 16*rng.Uint64N(2)
				m.Pitches[d] = pitch
			}
		}
		m.Box[0] = 16 / m.Elem * (1 + rng.Uint64N(4))
		if m.Swizzle > 0 {
			m.Box[0] = m.Swizzle / m.Elem
		}
		elements := uint64(1)
		for d := range dims {
			elements += (m.Sizes[d] - 1) * m.Pitches[d]
		}
		require.Empty(t, m.Misuse(elements, m.Bytes()))
		require.NotEmpty(t, m.Misuse(elements-1, m.Bytes()))
		encoded := m.Encode(16 * rng.Uint64())
		words := tensormap.Words{}
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(encoded[tensormap.WordAt(i):])
		}
		words[0] |= tensormap.Wanted(dims)
		again, wanted, ok := words.Decode()
		require.True(t, ok)
		require.Equal(t, dims, wanted)
		require.Equal(t, m, again, "what an encoded map says")
		words[0] = 0
		_, _, ok = words.Decode()
		require.False(t, ok)
		box := tensormap.Box{Map: &m}
		for d := range dims {
			box.At[d] = rng.Int64N(30) - 8
		}
		box.At[0] *= int64(16 / m.Elem)
		require.Empty(t, box.Misplaced(false))
		from := make([]int64, m.Bytes()) // by the byte of shared memory: that of the tensor, or -1
		for i := range from {
			from[i] = -2
		}
		inside := uint64(0)
		for run := range box.Runs {
			require.Positive(t, run.Bytes)
			for i := range run.Bytes {
				require.Equal(t, int64(-2), from[run.To+i], "once")
				if from[run.To+i] = -1; run.Inside {
					from[run.To+i] = int64(run.From + i)
					inside++
				}
			}
		}
		assert.Equal(t, inside, box.InsideBytes())
		for i := range m.Bytes() {
			element, byte := i/m.Elem, i%m.Elem
			at := [3]int64{box.At[0] + int64(element%m.Box[0]), box.At[1] + int64(element/m.Box[0]%m.Box[1]), box.At[2] + int64(element/m.Box[0]/m.Box[1])}
			want := int64(0)
			for d := range at {
				if at[d] < 0 || at[d] >= int64(m.Sizes[d]) {
					want = -1
					break
				}
				want += at[d] * int64(m.Pitches[d])
			}
			if want >= 0 {
				want = want*int64(m.Elem) + int64(byte)
			}
			place := i
			if m.Swizzle > 0 { // the number of the 16 bytes in their row, against that of the row of 128 bytes among as many as the pattern has
				chunks := m.Swizzle / 16
				place = i/16 ^ i/128%chunks
				place = place*16 + i%16
			}
			require.Equal(t, want, from[place], "byte %d of %+v", i, box)
		}
	}
}

// TestH200Boxes compares which boxes the rules let a GPU copy and store, and what is stored at the end of a row, with what an H200 did in each case of
// results/hw/asynchronous/boxes.cu: 715 is an illegal instruction.
func TestH200Boxes(t *testing.T) {
	f, err := os.Open("../../results/hw/asynchronous/h200-boxes.csv")
	require.NoError(t, err)
	defer f.Close()
	file := csv.NewReader(f)
	file.FieldsPerRecord = -1 // an outcome may have a comma
	rows, err := file.ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+262)
	for _, row := range rows[1:] {
		var n [5]int64
		for i := range n {
			n[i], err = strconv.ParseInt(row[1+i], 10, 64)
			require.NoError(t, err)
		}
		m := tensormap.New(2, uint64(n[0]))
		m.Sizes = [3]uint64{uint64(n[1]), uint64(n[2]), 1}
		box, stores := tensormap.Box{Map: &m, At: [3]int64{n[3], n[4]}}, row[0] == "store"
		assert.Equal(t, row[6] == "error 715", box.Misplaced(stores) != "", "%v", row)
		if strings.Contains(row[6], "too many") {
			assert.True(t, stores, "%v", row)
			assert.NotEmpty(t, m.Unstorable(), "%v", row)
		} else {
			assert.NotContains(t, row[6], "wrong", "%v", row)
		}
	}
}
