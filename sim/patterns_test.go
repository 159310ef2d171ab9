package sim

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// patterns are those of results/hw/atomics/patterns.cu: the word of a line on which a lane works, or -1 if it does not.
var patterns = map[string]func(lane int) int{
	"32 words": func(lane int) int { return lane },
	"31 words, one twice": func(lane int) int {
		if lane == 1 {
			return 0
		}
		return lane
	},
	"28 words, one of each sector twice": func(lane int) int {
		if lane%8 == 1 {
			return lane - 1
		}
		return lane
	},
	"16 words, each twice":                       func(lane int) int { return lane / 2 },
	"8 words, each four times":                   func(lane int) int { return lane / 4 },
	"4 words, each eight times":                  func(lane int) int { return lane / 8 },
	"1 word":                                     func(int) int { return 0 },
	"29 words, one four times":                   func(lane int) int { return first(lane, 4) },
	"25 words, one eight times":                  func(lane int) int { return first(lane, 8) },
	"17 words, one sixteen times":                func(lane int) int { return first(lane, 16) },
	"4 words of four sectors, each eight times":  func(lane int) int { return lane / 8 * 8 },
	"2 words, each sixteen times":                func(lane int) int { return lane / 16 },
	"2 words in turn":                            func(lane int) int { return lane % 2 },
	"4 words in turn":                            func(lane int) int { return lane % 4 },
	"8 words in turn":                            func(lane int) int { return lane % 8 },
	"16 words in turn":                           func(lane int) int { return lane % 16 },
	"32 words, halves swapped":                   func(lane int) int { return lane ^ 16 },
	"8 words by 8 lanes":                         func(lane int) int { return some(lane, lane < 8) },
	"16 words, four of each sector, by 16 lanes": func(lane int) int { return some(lane, lane%8 < 4) },
	"8 words, two of each sector, by 8 lanes":    func(lane int) int { return some(lane, lane%8 < 2) },
	"4 words, one of each sector, by 4 lanes":    func(lane int) int { return some(lane, lane%8 == 0) },
}

// first puts the first n lanes on word 0.
func first(lane, n int) int {
	if lane < n {
		return 0
	}
	return lane
}

func some(lane int, works bool) int {
	if works {
		return lane
	}
	return -1
}

// TestAtomicPatterns lets a unit serve the atomics of many warps on one line, as an H100 did: from SMs of both halves
// (h100-patterns.csv, 132 SMs), and from those of one half (h100-operations.csv, 8 SMs), for which further operations on
// several words of a sector take longer.
func TestAtomicPatterns(t *testing.T) {
	cfg, err := config.Load("h100")
	require.NoError(t, err)
	clock, err := cfg.Get("clock.l2")
	require.NoError(t, err)
	mhz, err := strconv.ParseFloat(clock, 64)
	require.NoError(t, err)
	simulated := func(pattern func(int) int, halves int) float64 {
		unit := newAtomicUnit(&cfg.Atomic)
		var off [simt.Lanes]uint8
		lanes := uint32(0)
		for lane := range off {
			if word := pattern(lane); word >= 0 {
				lanes |= 1 << lane
				off[lane] = uint8(4 * word)
			}
		}
		work := atomicSteps(lanes, &off)
		const packets = 200
		last := uint64(0)
		for i := range packets {
			work.far = i%halves == 1
			last = unit.serve(1, work, simt.Lanes, false, false, 0)
		}
		return float64(last-uint64(cfg.Atomic.Latency)) / packets * 1e3 / mhz
	}
	compare := func(file string, halves, least int, keep func(row map[string]string) bool) {
		compared := 0
		for _, row := range records(t, file) {
			pattern, ok := patterns[row["pattern"]]
			if !ok || !keep(row) {
				continue
			}
			measured, err := strconv.ParseFloat(row["ns"], 64)
			require.NoError(t, err)
			compared++
			assert.InEpsilon(t, measured, simulated(pattern, halves), 0.15, "%s, SMs of %d halves", row["pattern"], halves)
		}
		assert.GreaterOrEqual(t, compared, least)
	}
	compare("patterns", 2, len(patterns), func(row map[string]string) bool { return row["lines"] == "1" && row["result"] == "0" })
	compare("operations", 1, 5, func(row map[string]string) bool {
		return row["operation"] == "add" && row["type"] == "unsigned" && row["blocks"] == "8" && row["threads"] == "256"
	})
	assert.Equal(t, timing.Ticks(1.2), newAtomicUnit(&cfg.Atomic).step-newAtomicUnit(&cfg.Atomic).full)
}

// TestPlacesOfUnits compares which lines of a kilobyte share a unit with an H100, where an addition to two lines of one unit takes as long as one
// to a line, and to two of two units half of it.
func TestPlacesOfUnits(t *testing.T) {
	d := open(t, "h100")
	compared := 0
	for _, row := range records(t, "places") {
		first, err := strconv.ParseUint(row["first"], 10, 64)
		require.NoError(t, err)
		later, err := strconv.ParseUint(row["later"], 10, 64)
		require.NoError(t, err)
		took, err := strconv.ParseFloat(row["time"], 64)
		require.NoError(t, err)
		const lines = 1024 / lineBytes
		if first/lines != (first+later)/lines {
			continue // of another kilobyte, whose units are drawn by a hash that is not known
		}
		compared++
		// The buffer has pages of its own, so that its first line is at the beginning of a kilobyte.
		slice := func(line uint64) uint64 { return d.m.l2.homeOf(1<<30 + line*lineBytes).slice }
		assert.Equal(t, took > 0.75, slice(first) == slice(first+later), "lines %d and %d", first, first+later)
	}
	assert.Greater(t, compared, 20)
}

// records reads results/hw/atomics/h100-NAME.csv.
func records(t *testing.T, name string) (rows []map[string]string) {
	f, err := os.Open("../results/hw/atomics/h100-" + name + ".csv")
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, r := range all[1:] {
		row := map[string]string{}
		for i, v := range r {
			row[all[0][i]] = v
		}
		rows = append(rows, row)
	}
	return rows
}

// TestCopiesStay checks what copies leave in the L2: after one, a walk over the lines of a buffer reads no memory.
func TestCopiesStay(t *testing.T) {
	for _, c := range []struct {
		copies string
		read   float64
	}{{"1", 0}, {"0", 64 * 1024}} {
		d := open(t, "h100", "l2.copies", c.copies)
		b := upload(t, d, "x", device.U32, make([]uint32, 1024*lineBytes/4))
		r := launch(t, d, walk(t, 1024, 1, ir.Relaxed, false), 1, 1, b)
		assert.Equal(t, c.read, count(t, r, "dram__bytes_read.sum"), "l2.copies=%s", c.copies)
	}
}
