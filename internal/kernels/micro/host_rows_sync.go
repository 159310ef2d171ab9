//go:build !kernel

package micro

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
)

func syncRows() []Row {
	var rows []Row
	for w := 1; w <= 32; w *= 2 {
		rows = append(rows, Row{"barriers", fmt.Sprintf("Sync, %d warps", w), "cycle", false, func(r *Runner) (float64, error) {
			const steps = 256
			return r.clocked("Sync", 1, 32*w, steps, false, func(c device.Buffer) []any { return []any{steps, c} })
		}})
	}
	grid := func(kernel, what string, blocks, threads int) {
		rows = append(rows, Row{"barriers", fmt.Sprintf("%s, %d blocks of %d", what, blocks, threads), "cycle", false, func(r *Runner) (float64, error) {
			arrived, err := r.words("arrived", 1)
			if err != nil {
				return 0, err
			}
			const steps = 16
			return r.clocked(kernel, blocks, threads, steps, true, func(c device.Buffer) []any { return []any{arrived, steps, c} })
		}})
	}
	grids := [][2]int{{1, 256}, {132, 256}, {264, 256}, {528, 128}, {1056, 128}}
	for _, g := range grids {
		grid("GridBarrier", "grid barrier", g[0], g[1])
	}
	for _, g := range grids[1:] {
		grid("GridBarrierRelaxed", "grid barrier without fences", g[0], g[1])
	}
	fence := func(kernel string, block int, name string, pick func(cycles []uint64) uint64) {
		rows = append(rows, Row{"barriers", name, "cycle", false, func(r *Runner) (float64, error) {
			return pageLatency(r, kernel, block, nil, pick)
		}})
	}
	fence("FenceBlock", 32, "store and block fence", near)
	fence("FenceDevice", 32, "store and device fence, near half of the L2", near)
	fence("FenceDevice", 32, "store and device fence, far half of the L2", far)
	fence("FenceOther", 64, "store of another warp, Sync and device fence, near half of the L2", near)
	fence("FenceOther", 64, "store of another warp, Sync and device fence, far half of the L2", far)
	for w := 1; w <= 32; w *= 2 {
		name := "device fence alone"
		if w > 1 {
			name += fmt.Sprintf(", %d warps of an SM", w)
		}
		rows = append(rows, Row{"barriers", name, "cycle", false, func(r *Runner) (float64, error) {
			const steps = 64
			return r.clocked("FenceAlone", 1, 32*w, steps, false, func(c device.Buffer) []any { return []any{steps, c} })
		}})
	}
	for _, kernel := range []string{"Shuffle", "Ballot"} {
		name := map[string]string{"Shuffle": "shuffle, add and mask", "Ballot": "ballot, shift and test"}[kernel]
		rows = append(rows, Row{"warp", name, "cycle", false, func(r *Runner) (float64, error) {
			end, err := r.words("end", 32)
			if err != nil {
				return 0, err
			}
			const steps = 512
			return r.clocked(kernel, 1, 32, steps, false, func(c device.Buffer) []any { return []any{steps, c, end} })
		}})
	}
	return rows
}

// arith is an arithmetic operation to measure.
type arith struct {
	step       string // name of the Step type
	name       string
	kind       device.Kind
	y          any
	throughput bool
}

var ariths = []arith{
	{"AddXor", "uint32 add and xor", device.U32, uint32(3), true},
	{"Mul", "uint32 multiply", device.U32, uint32(3), true},
	{"Mad", "uint32 multiply-add", device.U32, uint32(3), true},
	{"Add64", "uint64 add and xor", device.U64, uint64(3), false},
	{"DivInt", "uint32 divide", device.U32, uint32(1 << 30), false},
	{"Pop", "population count and xor", device.U32, uint32(3), true},
	{"FAdd", "float32 add", device.F32, float32(0.5), true},
	{"FMul", "float32 multiply", device.F32, float32(1.5), false},
	{"FMulAdd", "float32 fused multiply-add", device.F32, float32(0.5), true},
	{"FSqrt", "float32 square root and add", device.F32, float32(0.5), true},
	{"FDiv", "float32 divide", device.F32, float32(1.5), false},
	{"DAdd", "float64 add", device.F64, float64(0.5), false},
	{"DMulAdd", "float64 fused multiply-add", device.F64, float64(0.5), true},
	{"Convert", "uint32 to float32 and back, add", device.U32, uint32(3), false},
}

func arithRows() []Row {
	var rows []Row
	for _, a := range ariths {
		measure := func(kernel string, block int, per float64) func(r *Runner) (float64, error) {
			return func(r *Runner) (float64, error) {
				end, err := r.Device.Alloc("end", a.kind, block)
				if err != nil {
					return 0, err
				}
				r.buffers = append(r.buffers, placed{end, r.Device})
				const steps = 512
				x, err := r.clocked(kernel, 1, block, steps, false, func(c device.Buffer) []any { return []any{a.y, steps, c, end} })
				return x / per, err
			}
		}
		rows = append(rows, Row{"arithmetic", a.name + ", latency", "cycle", false, measure("Latency"+a.step, 32, 1)})
		if a.throughput {
			// 32 warps: the cycles that an SM takes per warp and step.
			rows = append(rows, Row{"arithmetic", a.name + ", cycles a warp and SM", "cycle", false, measure("Throughput"+a.step, 1024, 32)})
		}
	}
	return rows
}

func bandwidthRows() []Row {
	rows := []Row{
		{"memory", "copy, 1 GiB read and written", "GB/s", true, copyRow(256 * mib)},
		{"memory", "copy, 16 MiB read and written", "GB/s", false, copyRow(4 * mib)},
	}
	for _, m := range []int{1, 4, 16, 32, 128, 1024} {
		words := m * mib / 4
		rows = append(rows, Row{"memory", fmt.Sprintf("random 4-byte gather, %d MiB", m), "Gop/s", m > 32, func(r *Runner) (float64, error) {
			src, err := r.words("src", words)
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 1)
			if err != nil {
				return 0, err
			}
			const steps = 32
			s, err := r.timed("Gather", nil, fillGrid, fillBlock, src, words-1, steps, end)
			return float64(fillGrid*fillBlock*steps) / s / 1e9, err
		}})
	}
	for _, p := range []struct{ name, kernel string }{
		{"relaxed loads of one word, a warp each", "Poll"},
		{"relaxed loads of one word after atomics, a warp each", "PollChanged"},
		{"acquire loads of one word, a warp each", "PollAcquire"},
		{"relaxed load and atomic add of one word in turn, a warp each", "PollAndAdd"},
	} {
		rows = append(rows, Row{"memory", p.name, "Gop/s", false, func(r *Runner) (float64, error) {
			cells, err := r.words("cells", 1)
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 1)
			if err != nil {
				return 0, err
			}
			const steps = 16
			s, err := r.timed(p.kernel, nil, fillGrid, fillBlock, cells, steps, end)
			return float64(fillGrid*fillBlock/32*steps) / s / 1e9, err
		}})
	}
	return rows
}

// launchRows measures launches that are queued back to back, and launches on an idle
// device, for which code and parameters are not in the SMs' caches.
func launchRows() []Row {
	add := func(name string, measure func(r *Runner) (float64, error)) Row {
		return Row{"launch", name, "us", false, func(r *Runner) (float64, error) {
			s, err := measure(r)
			return s * 1e6, err
		}}
	}
	cells := func(r *Runner, n int) ([]any, error) {
		var args []any
		for _, name := range []string{"a", "b", "c"}[:n] {
			b, err := r.words(name, 1024)
			if err != nil {
				return nil, err
			}
			args = append(args, b)
		}
		return args, nil
	}
	return []Row{
		add("empty kernel", func(r *Runner) (float64, error) { return r.timed("Empty", nil, 1, 32) }),
		add("empty kernel, alone", func(r *Runner) (float64, error) { return r.alone("Empty", 1, 32) }),
		add("empty kernel of 1,056 blocks, alone", func(r *Runner) (float64, error) { return r.alone("Empty", fillGrid, fillBlock) }),
		add("two loads and an atomic a thread, alone", func(r *Runner) (float64, error) {
			args, err := cells(r, 3)
			if err != nil {
				return 0, err
			}
			return r.alone("WolfGlobalOnce", 1, 1024, args...)
		}),
		add("a hundred atomics a thread in straight code, alone", func(r *Runner) (float64, error) {
			args, err := cells(r, 1)
			if err != nil {
				return 0, err
			}
			return r.alone("WolfGlobal", 1, 1024, append([]any{1}, args...)...)
		}),
		add("eight dependent divisions, alone", func(r *Runner) (float64, error) {
			end, err := r.words("end", 32)
			if err != nil {
				return 0, err
			}
			c, err := alloc[uint64](r, "cycles", device.U64, 1, nil)
			if err != nil {
				return 0, err
			}
			return r.alone("LatencyDivInt", 1, 32, uint32(1<<30), 8, c, end)
		}),
	}
}

func copyRow(words int) func(r *Runner) (float64, error) {
	return func(r *Runner) (float64, error) {
		dst, err := r.words("dst", words)
		if err != nil {
			return 0, err
		}
		src, err := r.words("src", words)
		if err != nil {
			return 0, err
		}
		s, err := r.timed("Copy", nil, fillGrid, fillBlock, dst, src)
		return float64(2*4*words) / s / 1e9, err
	}
}
