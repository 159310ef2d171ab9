//go:build !kernel

package micro

import (
	"fmt"
	"math/rand/v2"

	"github.com/weft-gpu/weft/device"
)

// lineWords is the number of words of a cache line.
const lineWords = 32

// cacheRows measures what the caches keep: the time of an access, if all data fits, is that of
// a hit. The sizes are 25 to 110% of the caches of an H200: 256 KiB with shared memory, and
// 60 MiB.
func cacheRows() []Row {
	var rows []Row
	chase := func(name string, lines int, words int, next func(i int) uint32) {
		rows = append(rows, Row{"caches", name, "cycle", false, func(r *Runner) (float64, error) {
			buffer, err := alloc(r, "next", device.U32, words, next)
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 2)
			if err != nil {
				return 0, err
			}
			return r.clocked("Chase", 1, 1, lines/8*8, false, func(c device.Buffer) []any { return []any{buffer, lines / 8 * 8, c, end} })
		}})
	}
	for _, kib := range []int{64, 128, 192, 208, 216, 224, 240, 256, 280} {
		lines := kib * 8
		chase(fmt.Sprintf("dependent load, second walk over %d KiB", kib), lines, lines*lineWords, ring(lines*lineWords, lineWords))
	}
	for _, stride := range []int{512, 4 << 10, 64 << 10} {
		const lines = 1024
		words := lines * stride / 4
		chase(fmt.Sprintf("dependent load, second walk over 1,024 lines %d bytes apart", stride), lines, words, ring(words, stride/4))
	}
	for _, lines := range []int{512, 1024, 2048} {
		chase(fmt.Sprintf("dependent load, second walk over %d random lines of 32 MiB", lines), lines, 8*mib, scattered(8*mib, lines))
	}
	read := func(kernel, name string, m, grid int, times int, heavy bool) {
		rows = append(rows, Row{"caches", name, "GB/s", heavy, func(r *Runner) (float64, error) {
			src, err := r.words("src", m*mib/4)
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 1)
			if err != nil {
				return 0, err
			}
			s, err := r.timed(kernel, nil, grid, fillBlock, src, end)
			return float64(times) * float64(m*mib) / s / 1e9, err
		}})
	}
	for _, m := range []int{15, 30, 36, 40, 45, 54, 60, 66} {
		read("Sweep", fmt.Sprintf("%d MiB read again, by all SMs", m), m, fillGrid, 1, m > 30)
	}
	read("SweepEach", "1 MiB read by every SM", 1, fillGrid/8, fillGrid/8, false)
	rows = append(rows, Row{"caches", "one word stored in each sector of 16 MiB", "Gop/s", false, func(r *Runner) (float64, error) {
		dst, err := r.words("dst", 4*mib)
		if err != nil {
			return 0, err
		}
		s, err := r.timed("StoreSparse", nil, fillGrid, fillBlock, dst)
		return mib / 2 / s / 1e9, err
	}})
	return rows
}

// scattered returns the values of a chain through random lines of an array, in random order.
func scattered(words, lines int) func(i int) uint32 {
	r := rand.New(rand.NewPCG(1, 1))
	picked := []uint32{0} // where the chain begins
	seen := map[uint32]bool{0: true}
	for len(picked) < lines {
		if at := r.Uint32N(uint32(words/lineWords)) * lineWords; !seen[at] {
			seen[at] = true
			picked = append(picked, at)
		}
	}
	next := map[uint32]uint32{}
	for i, at := range picked {
		next[at] = picked[(i+1)%lines]
	}
	return func(i int) uint32 { return next[uint32(i)] }
}
