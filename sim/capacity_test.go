package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestContiguousArrayStaysInL1 walks twice through arrays of 25 to 100% of what a machine's L1 holds for a kernel
// without shared memory whose blocks have one thread. The second walk only hits.
func TestContiguousArrayStaysInL1(t *testing.T) {
	for preset, lines := range map[string]int{
		"tiny": 64,      // 8 KiB
		"p100": 192,     // 24 KiB
		"v100": 1024,    // 128 KiB
		"a100": 1280,    // 192 KiB without 32 KiB: the reserve of 32 blocks
		"h200": 27 * 64, // 256 KiB without 32 KiB, and without the 8 KiB that hold no lines
		"h100": 216 * 8, // the same
	} {
		for _, percent := range []int{25, 50, 75, 90, 100} {
			for _, from := range []int{0, 7} {
				linear := preset == "tiny" || preset == "p100"
				if from > 0 && !linear {
					continue // of an array that begins anywhere, some sets get a line more than others
				}
				d := open(t, preset)
				n := lines * percent / 100
				b := upload(t, d, "x", device.U32, make([]uint32, (n+from)*lineBytes/4))
				r := launch(t, d, walk(t, n, 2, ir.Weak, false), 1, 1, b.Slice(from*lineBytes/4, b.Len))
				assert.Equal(t, float64(n), count(t, r, l1LoadHits), "%s, %d%%, from line %d", preset, percent, from)
			}
		}
	}
}

// TestArrayLargerThanL1 checks the hits of the second walk through arrays that do not fit. If all sets have room, a set
// with one line more than it holds never hits. On an H200 the sets have 4 lines each, but not all at the same time:
// the lines beyond the capacity take the place of others in their sets, of which each then misses all 4 lines.
func TestArrayLargerThanL1(t *testing.T) {
	for _, c := range []struct {
		preset      string
		lines, hits int
	}{
		{"tiny", 70, 70 - 6*5},       // 16 sets of 4, 6 lines too many
		{"p100", 211, 211 - 19*7},    // 32 sets of 6
		{"h200", 1740, 1740 - 12*4},  // 97.4% and 96.6% measured on an H200
		{"h200", 1843, 1843 - 115*4}, // 75.0%; 73.5% and 75.5% measured in random order
		{"h200", 5 * 512, 0},         // 5 lines in each set
	} {
		d := open(t, c.preset)
		b := upload(t, d, "x", device.U32, make([]uint32, c.lines*lineBytes/4))
		r := launch(t, d, walk(t, c.lines, 2, ir.Weak, false), 1, 1, b)
		assert.Equal(t, float64(c.hits), count(t, r, l1LoadHits), "%+v", c)
	}
}

// TestStridesInL1 walks through lines that are a power of two apart. If address bits select the set, as many lines as a
// set has ways stay; on an H200, strides of powers of two use all sets.
func TestStridesInL1(t *testing.T) {
	for _, c := range []struct {
		preset      string
		stride      int64
		lines, hits int
	}{
		{"tiny", 16 * lineBytes, 4, 4}, {"tiny", 16 * lineBytes, 5, 0}, {"tiny", 8 * lineBytes, 8, 8}, {"tiny", 8 * lineBytes, 10, 0},
		{"h200", 512, 1024, 1024}, {"h200", 4096, 1024, 1024}, {"h200", 64 << 10, 1024, 1024},
		{"h200", 128, 1536, 1536}, {"h200", 8192, 1536, 1536},
	} {
		d := open(t, c.preset)
		b := upload(t, d, "x", device.U32, make([]uint32, int(c.stride)*c.lines/4))
		r := launch(t, d, walkBy(t, c.stride, c.lines, 2, ir.Weak, false), 1, 1, b)
		assert.Equal(t, float64(c.hits), count(t, r, l1LoadHits), "%+v", c)
	}
}

// TestContiguousArrayStaysInL2 walks twice through arrays of 25 to 110% of an L2: as far as they fit, each line is read
// from device memory once, with the 64 bytes that a miss brings.
func TestContiguousArrayStaysInL2(t *testing.T) {
	for _, c := range []struct {
		preset   string
		lines    int // that the L2 holds
		percents []int
	}{
		// An array that begins within a run of chunks, one of each slice, needs a bit more.
		{"tiny", 1024, []int{25, 50, 75, 90}},
		{"k40", 12288, []int{50, 75, 98}},
		{"v100", 49152, []int{75, 98}},
	} {
		for _, percent := range c.percents {
			d := open(t, c.preset)
			n := c.lines * percent / 100
			b := upload(t, d, "x", device.U32, make([]uint32, n*lineBytes/4))
			r := launch(t, d, walk(t, n, 2, ir.Relaxed, false), 1, 1, b)
			assert.Equal(t, float64(64*n), count(t, r, "dram__bytes_read.sum"), "%s, %d%%", c.preset, percent)
			assert.Equal(t, float64(n), count(t, r, "lts__t_sectors_lookup_hit.sum"), "%s, %d%%", c.preset, percent)
		}
	}
	// 110%: each set has at least one line too many, and never hits.
	d := open(t, "tiny")
	b := upload(t, d, "x", device.U32, make([]uint32, 1126*lineBytes/4))
	r := launch(t, d, walk(t, 1126, 2, ir.Relaxed, false), 1, 1, b)
	assert.Zero(t, count(t, r, "lts__t_sectors_lookup_hit.sum"))
}

// TestHalvesShareCapacity checks on the H200's L2 that an SM keeps what it reads in the near half, also what has its home
// in the far half: almost half the L2 stays there. (On an H200, a second walk over 20 MiB took 272 cycles a line, one over
// 30 MiB 432.)
func TestHalvesShareCapacity(t *testing.T) {
	if testing.Short() {
		t.Skip("29 MiB, line by line")
	}
	d := open(t, "h200", "l2.copies", "0") // nothing is there before the first walk
	n := 29 << 20 / lineBytes
	b := upload(t, d, "x", device.U32, make([]uint32, n*lineBytes/4))
	r := launch(t, d, walk(t, n, 2, ir.Relaxed, false), 1, 1, b)
	assert.Equal(t, float64(64*n), count(t, r, "dram__bytes_read.sum"))
}
