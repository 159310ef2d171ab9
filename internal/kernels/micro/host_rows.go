//go:build !kernel

package micro

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// Rows returns all rows of the table in order.
func Rows() []Row {
	var rows []Row
	for _, part := range [][]Row{chaseRows(), sharedRows(), fullSharedRows(), stageRows(), atomicRows(), packetRows(), wolfRows(), syncRows(), arithRows(), bandwidthRows(), cacheRows(), productRows(), launchRows()} {
		rows = append(rows, part...)
	}
	return rows
}

const mib = 1 << 20

// size formats a footprint in words as KiB or MiB.
func size(words int) string {
	if words*4 >= mib {
		return fmt.Sprintf("%d MiB", words*4/mib)
	}
	return fmt.Sprintf("%d KiB", words*4/1024)
}

// ring returns the values of a chain through words with the given stride in words.
func ring(words, stride int) func(i int) uint32 {
	return func(i int) uint32 { return uint32((i + stride) % words) }
}

func chaseRows() []Row {
	var rows []Row
	add := func(kernel, level string, words, stride int, heavy bool) {
		rows = append(rows, Row{"latency", fmt.Sprintf("dependent load, %s, %s", level, size(words)), "cycle", heavy, func(r *Runner) (float64, error) {
			next, err := alloc(r, "next", device.U32, words, ring(words, stride))
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 2)
			if err != nil {
				return 0, err
			}
			steps := min(max(words/stride, 1024), 16384) // once around the ring, if that is not too long
			return r.clocked(kernel, 1, 1, steps, false, func(c device.Buffer) []any { return []any{next, steps, c, end} })
		}})
	}
	add("Chase", "plain, L1", 4096, 8, false)
	add("Chase", "plain, L2", mib/2, 32, false)
	add("Chase", "plain, DRAM", 128*mib, 64*1024+32, true)
	beside := func(kernel, path string, words int) {
		rows = append(rows, Row{"latency", fmt.Sprintf("dependent load, %s, ring of %d bytes, beside a warp that acquires", path, 4*words), "cycle", false, func(r *Runner) (float64, error) {
			next, err := alloc(r, "next", device.U32, words, ring(words, 8))
			if err != nil {
				return 0, err
			}
			flag, err := r.words("flag", 1)
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 2)
			if err != nil {
				return 0, err
			}
			// The polls take longer than both walks, also if each load of these misses L1.
			const steps, polls = 1024, 4096
			return r.clocked(kernel, 1, 64, steps, false, func(c device.Buffer) []any { return []any{next, flag, polls, steps, c, end} })
		}})
	}
	for _, words := range []int{32, 4096} {
		beside("ChaseBeside", "read-only", words)
		beside("ChaseWrittenBeside", "plain", words)
	}
	line := func(kernel, name string, words int, pick func(cycles []uint64) uint64) {
		rows = append(rows, Row{"latency", name, "cycle", false, func(r *Runner) (float64, error) {
			return lineLatency(r, kernel, words, pick)
		}})
	}
	const within = 8 << 10 // words; contains 256 lines
	line("ChaseLines", "dependent load, relaxed, nearest of 256 lines in the L2", within, func(c []uint64) uint64 { return c[0] })
	line("ChaseLines", "dependent load, relaxed, farthest of 256 lines in the L2", within, func(c []uint64) uint64 { return c[len(c)-1] })
	line("ChaseLines", "dependent load, relaxed, near half of the L2", pages*page, near)
	line("ChaseLines", "dependent load, relaxed, far half of the L2", pages*page, far)
	line("ChaseAcquire", "dependent load, acquire, near half of the L2", pages*page, near)
	return rows
}

// The home of an address in one half of the L2 is determined by page. This many pages have
// homes in both halves.
const (
	page  = 2 * mib / 4 // words
	pages = 16
)

// near and far return the median latency of the near and of the far half of the L2, from
// sorted latencies.
func near(c []uint64) uint64 { return c[len(c)/4] }
func far(c []uint64) uint64  { return c[len(c)*3/4] }

// lineLatency returns the latency that pick selects from the sorted latencies of 256 lines,
// which are spread evenly over the given number of words.
func lineLatency(r *Runner, kernel string, words int, pick func(cycles []uint64) uint64) (float64, error) {
	const lines, steps = 256, 32
	cells, err := r.words("cells", words)
	if err != nil {
		return 0, err
	}
	cycles, err := alloc[uint64](r, "cycles", device.U64, lines, nil)
	if err != nil {
		return 0, err
	}
	if _, err := r.launch(device.Launch{Grid: 1, Block: 1, Args: []any{cells, lines, words / lines, steps, cycles}}, kernel, nil); err != nil {
		return 0, err
	}
	var took [lines]uint64
	if err := r.Device.Read(cycles, took[:]); err != nil {
		return 0, err
	}
	slices.Sort(took[:])
	return float64(pick(took[:])) / steps, nil
}

func sharedRows() []Row {
	var rows []Row
	for _, ways := range []int{1, 2, 4, 8, 16, 32} {
		rows = append(rows, Row{"shared memory", fmt.Sprintf("dependent load, %d lanes on one bank", ways), "cycle", false, func(r *Runner) (float64, error) {
			end, err := r.words("end", 32)
			if err != nil {
				return 0, err
			}
			const steps = 512
			return r.clocked("ChaseShared", 1, 32, steps, false, func(c device.Buffer) []any { return []any{ways, steps, c, end} })
		}})
	}
	for _, degree := range []int{1, 2, 4, 8, 16, 32} {
		rows = append(rows, Row{"shared memory", fmt.Sprintf("atomic add with result, %d lanes an address", degree), "cycle", false, func(r *Runner) (float64, error) {
			end, err := r.words("end", 32)
			if err != nil {
				return 0, err
			}
			const steps = 512
			return r.clocked("AtomicShared", 1, 32, steps, false, func(c device.Buffer) []any { return []any{degree, steps, c, end} })
		}})
	}
	return rows
}

// The throughput rows launch as many threads as an H200 holds.
const (
	fillGrid  = 132 * 8
	fillBlock = 256
)

func atomicRows() []Row {
	var rows []Row
	dependent := func(degree int, name string, pick func(cycles []uint64) uint64) {
		rows = append(rows, Row{"global atomics", fmt.Sprintf("dependent add, %d lanes an address%s", degree, name), "cycle", false, func(r *Runner) (float64, error) {
			end, err := r.words("end", 32)
			if err != nil {
				return 0, err
			}
			return pageLatency(r, "AtomicGlobal", 32, []any{end, degree}, pick)
		}})
	}
	for _, degree := range []int{1, 2, 4, 8, 16, 32} {
		dependent(degree, ", near half of the L2", near)
	}
	dependent(1, ", far half of the L2", far)
	for _, p := range []struct {
		name    string
		pattern uint32
		words   int
		lines   int
		steps   int
		heavy   bool
	}{
		{"all threads, one address", Consecutive, 1, 1, 2, false},
		{"a warp an address, 32 lines in all", WarpLine, 1024, 32, 8, false},
		{"a warp a line of its own", WarpLine, fillGrid * fillBlock, fillGrid * fillBlock / 32, 16, false},
		{"consecutive, 1,024 words", Consecutive, 1024, 1, 16, false},
		{"consecutive, 2^20 words", Consecutive, 1 << 20, 1, 32, false},
		{"random, 4 KiB", Random, 1024, 1, 4, false},
		{"random, 4 MiB", Random, mib, 1, 16, false},
		{"random, 256 MiB", Random, 64 * mib, 1, 8, true},
	} {
		for _, result := range []bool{false, true} {
			name := p.name + ", no result"
			if result {
				name = p.name + ", with result"
			}
			rows = append(rows, Row{"global atomics", name, "Gop/s", p.heavy, func(r *Runner) (float64, error) {
				cells, err := r.words("cells", p.words)
				if err != nil {
					return 0, err
				}
				args := []any{cells, p.lines, p.words - 1, p.steps}
				kernel := "AtomicThroughput"
				if result {
					end, err := r.words("end", 1)
					if err != nil {
						return 0, err
					}
					kernel, args = "AtomicThroughputResult", append(args, end)
				}
				s, err := r.timed(kernel, map[string]any{"pattern": p.pattern}, fillGrid, fillBlock, args...)
				return float64(fillGrid*fillBlock*p.steps) / s / 1e9, err
			}})
		}
	}
	return rows
}

// pageLatency returns the latency that pick selects from the sorted latencies of pages. The
// arguments of the kernel are args, the cells, the start index in the cells, the number of
// steps, and the buffer for the cycles.
func pageLatency(r *Runner, kernel string, block int, args []any, pick func(cycles []uint64) uint64) (float64, error) {
	cells, err := r.words("cells", pages*page)
	if err != nil {
		return 0, err
	}
	const steps = 64
	var took [pages]uint64
	for i := range took {
		x, err := r.clocked(kernel, 1, block, steps, false, func(c device.Buffer) []any {
			return append(slices.Clone(args), cells, i*page, steps, c)
		})
		if err != nil {
			return 0, err
		}
		took[i] = uint64(x * steps)
	}
	slices.Sort(took[:])
	return float64(pick(took[:])) / steps, nil
}

func wolfRows() []Row {
	var rows []Row
	add := func(name string, measure func(r *Runner, degree int) (float64, error)) {
		for d := 1; d <= 512; d *= 2 {
			rows = append(rows, Row{"WolfGraph figure 5.3", fmt.Sprintf("%s, %d threads a location", name, d), "ms", false, func(r *Runner) (float64, error) {
				s, err := measure(r, d)
				return s * 1e3, err
			}})
		}
	}
	cells := func(r *Runner, name string, value func(i int) uint32) (device.Buffer, error) {
		return alloc(r, name, device.U32, 1024, value)
	}
	full := func(int) uint32 { return ^uint32(0) }
	for _, v := range [][2]string{{"shared", "WolfShared"}, {"global", "WolfGlobal"}} {
		add(v[0]+" atomicMin", func(r *Runner, d int) (float64, error) {
			c, err := cells(r, "cells", full)
			if err != nil {
				return 0, err
			}
			return r.timed(v[1], nil, 1, 1024, d, c)
		})
	}
	add("shared atomicMin once", func(r *Runner, d int) (float64, error) {
		return r.timed("WolfSharedOnce", nil, 1, 1024, 1024/d-1)
	})
	add("global atomicMin once", func(r *Runner, d int) (float64, error) {
		location, err := cells(r, "location", func(i int) uint32 { return uint32(i & (1024/d - 1)) })
		if err != nil {
			return 0, err
		}
		values, err := cells(r, "values", func(i int) uint32 { return uint32(1024 - i) })
		if err != nil {
			return 0, err
		}
		results, err := cells(r, "results", full)
		if err != nil {
			return 0, err
		}
		return r.timed("WolfGlobalOnce", nil, 1, 1024, location, values, results)
	})
	return rows
}
