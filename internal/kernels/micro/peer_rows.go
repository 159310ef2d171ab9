//go:build !kernel

package micro

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// GroupRows returns the rows that a group of GPUs has instead of those of a single GPU: what
// its links do. Kernels run on GPU 0 and use the memory of GPU 1.
//
// A bandwidth of copies is that of queued ones: the bytes of all, by the time from the
// beginning of the first to the end of the last. Each direction has a queue of its own.
func GroupRows() []Row {
	return slices.Concat(peerLatencyRows(), peerCopyRows(), peerAccessRows(), peerBarrierRows(), hostCopyRows())
}

// copies is how many copies a queue has.
const copies = 8

// pair returns the group, after it has made GPU 0 the device on which kernels run.
func (r *Runner) pair() (device.Group, error) {
	if r.group != nil {
		return r.group, nil
	}
	g, ok := device.AsGroup(r.Device)
	if !ok || g.GPUs() < 2 {
		return nil, fmt.Errorf("device %s is not a group of two or more GPUs", r.Device.Name())
	}
	r.group, r.Device = g, g.GPU(0)
	return g, nil
}

// reach returns the group if kernels of GPU 0 may use the memory of GPU 1.
func (r *Runner) reach(atomics bool) (device.Group, error) {
	g, err := r.pair()
	if err != nil {
		return nil, err
	}
	switch p := g.Peer(0, 1); {
	case !p.Access:
		return nil, fmt.Errorf("kernels of GPU 0 cannot use the memory of GPU 1")
	case atomics && !p.Atomics:
		return nil, fmt.Errorf("kernels of GPU 0 cannot update the memory of GPU 1 atomically")
	}
	return g, nil
}

// wordsOn allocates n zero words on a GPU.
func (r *Runner) wordsOn(g device.Group, gpu int, name string, n int) (device.Buffer, error) {
	return allocOn[uint32](r, g.GPU(gpu), name, device.U32, n, nil)
}

func peerLatencyRows() []Row {
	const group = "latency of a peer"
	chase := func(level string, words, stride int, heavy bool) Row {
		return Row{group, fmt.Sprintf("dependent load, plain, %s, %s", level, size(words)), "cycle", heavy, func(r *Runner) (float64, error) {
			g, err := r.reach(false)
			if err != nil {
				return 0, err
			}
			next, err := allocOn(r, g.GPU(1), "next", device.U32, words, ring(words, stride))
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 2)
			if err != nil {
				return 0, err
			}
			steps := min(max(words/stride, 1024), 16384)
			return r.clocked("Chase", 1, 1, steps, false, func(c device.Buffer) []any { return []any{next, steps, c, end} })
		}}
	}
	return []Row{
		{group, "dependent load, relaxed, 64 lines in the other GPU's L2", "cycle", false, func(r *Runner) (float64, error) {
			g, err := r.reach(false)
			if err != nil {
				return 0, err
			}
			const lines, steps = 64, 32
			cells, err := r.wordsOn(g, 1, "cells", pages*page)
			if err != nil {
				return 0, err
			}
			cycles, err := alloc[uint64](r, "cycles", device.U64, lines, nil)
			if err != nil {
				return 0, err
			}
			if _, err := r.launch(device.Launch{Grid: 1, Block: 1, Args: []any{cells, lines, pages * page / lines, steps, cycles}}, "ChaseLines", nil); err != nil {
				return 0, err
			}
			var took [lines]uint64
			if err := r.Device.Read(cycles, took[:]); err != nil {
				return 0, err
			}
			slices.Sort(took[:])
			return float64(took[lines/2]) / steps, nil
		}},
		chase("the other GPU's L2", mib/2, 32, false),
		chase("the other GPU's DRAM", 128*mib, 64*1024+32, true),
		{group, "dependent atomic add with result", "cycle", false, func(r *Runner) (float64, error) {
			g, err := r.reach(true)
			if err != nil {
				return 0, err
			}
			cells, err := r.wordsOn(g, 1, "cells", 32)
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 32)
			if err != nil {
				return 0, err
			}
			const steps = 64
			return r.clocked("AtomicGlobal", 1, 32, steps, false, func(c device.Buffer) []any { return []any{end, 1, cells, 0, steps, c} })
		}},
	}
}

// flow is a direction of copies: from a GPU or the host (-1) to another one.
type flow struct{ from, to int }

// host stands for the host in a flow.
const host = -1

// queuedRow measures queued copies of bytes in each of flows.
func queuedRow(group, name string, bytes int, heavy bool, flows ...flow) Row {
	return Row{group, fmt.Sprintf("%s, %s", name, size(bytes/4)), "GB/s", heavy, func(r *Runner) (float64, error) {
		var cmds []device.Command
		for i, f := range flows {
			c, err := r.copyCommand(f, i, bytes/4)
			if err != nil {
				return 0, err
			}
			for range copies {
				cmds = append(cmds, c)
			}
		}
		first, last, err := r.span(cmds)
		return float64(len(cmds)*bytes) / (last - first) / 1e9, err
	}}
}

// copyCommand makes a copy of words, on a stream of its own.
func (r *Runner) copyCommand(f flow, stream, words int) (c device.Command, err error) {
	g, err := r.pair()
	if err != nil {
		return c, err
	}
	var on [2]device.Buffer
	for i, gpu := range []int{f.from, f.to} {
		if gpu == host {
			continue
		}
		if on[i], err = r.wordsOn(g, gpu, [2]string{"src", "dst"}[i], words); err != nil {
			return c, err
		}
	}
	c.Stream = stream
	switch {
	case f.from == host:
		c.GPU, c.Write = f.to, &device.HostCopy{Buffer: on[1], Host: make([]uint32, words)}
	case f.to == host:
		c.GPU, c.Read = f.from, &device.HostCopy{Buffer: on[0], Host: make([]uint32, words)}
	default:
		c.GPU, c.Copy = f.from, &device.Copy{Src: on[0], Dst: on[1]}
	}
	return c, nil
}

// span runs commands and returns when the first one began and the last one ended.
func (r *Runner) span(cmds []device.Command) (first, last float64, err error) {
	ts, err := r.group.Run(r.ctx, cmds)
	if err != nil {
		return 0, 1, err
	}
	first = ts[0].Start
	for _, t := range ts {
		first, last = min(first, t.Start), max(last, t.End)
	}
	if last <= first {
		return 0, 1, r.noClock()
	}
	return first, last, nil
}

func peerCopyRows() []Row {
	const group = "copies between GPUs"
	rows := []Row{{group, "one copy of 4 bytes, alone, until the host knows", "us", false, func(r *Runner) (float64, error) {
		c, err := r.copyCommand(flow{0, 1}, 0, 1)
		if err != nil {
			return 0, err
		}
		begin := r.group.Now()
		if _, err := r.group.Run(r.ctx, []device.Command{c}); err != nil {
			return 0, err
		}
		s := r.group.Now() - begin
		if s == 0 {
			return 0, r.noClock()
		}
		return s * 1e6, nil
	}}}
	for _, kib := range []int{4, 64, 256, 1 << 10, 4 << 10, 16 << 10, 256 << 10} {
		rows = append(rows, queuedRow(group, "one direction", kib<<10, kib > 16<<10, flow{0, 1}))
	}
	for _, kib := range []int{64, 1 << 10, 16 << 10, 256 << 10} {
		rows = append(rows, queuedRow(group, "both directions", kib<<10, kib > 16<<10, flow{0, 1}, flow{1, 0}))
	}
	return rows
}

func peerAccessRows() []Row {
	const group = "kernels in a peer's memory"
	stream := func(name string, words int, heavy bool, src, dst int) Row {
		return Row{group, fmt.Sprintf("%s, %s", name, size(words)), "GB/s", heavy, func(r *Runner) (float64, error) {
			g, err := r.reach(false)
			if err != nil {
				return 0, err
			}
			from, err := r.wordsOn(g, src, "src", words)
			if err != nil {
				return 0, err
			}
			to, err := r.wordsOn(g, dst, "dst", words)
			if err != nil {
				return 0, err
			}
			s, err := r.timed("Copy", nil, fillGrid, fillBlock, to, from)
			return float64(4*words) / s / 1e9, err
		}}
	}
	return []Row{
		stream("reads", 4*mib, false, 1, 0),
		stream("reads", 64*mib, true, 1, 0),
		stream("writes", 4*mib, false, 0, 1),
		stream("writes", 64*mib, true, 0, 1),
		{group, "random 4-byte gather, 4 MiB", "Gop/s", false, func(r *Runner) (float64, error) {
			g, err := r.reach(false)
			if err != nil {
				return 0, err
			}
			src, err := r.wordsOn(g, 1, "src", mib)
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 1)
			if err != nil {
				return 0, err
			}
			const grid, steps = fillGrid / 4, 8 // more would fill the queues, not the links
			s, err := r.timed("Gather", nil, grid, fillBlock, src, mib-1, steps, end)
			return float64(grid*fillBlock*steps) / s / 1e9, err
		}},
		peerAtomics(group, "consecutive, 1,024 words", Consecutive, 1024, 8),
		peerAtomics(group, "consecutive, 2^20 words", Consecutive, mib, 8),
		peerAtomics(group, "all threads, one address", Consecutive, 1, 2),
		peerAtomics(group, "random, 4 KiB", Random, 1024, 2),
		peerAtomics(group, "random, 4 MiB", Random, mib, 4),
	}
}

// peerBarrierRows are the barriers of all blocks on two GPUs, in cycles of GPU 0. A grid barrier of as many blocks on one GPU is in the
// rows of a single GPU.
func peerBarrierRows() (rows []Row) {
	const steps = 64
	const group = "barriers of GPUs"
	rows = append(rows, Row{group, "system fence alone", "cycle", false, func(r *Runner) (float64, error) {
		if _, err := r.reach(false); err != nil {
			return 0, err
		}
		return r.clocked("FenceSystemAlone", 1, 32, steps, false, func(c device.Buffer) []any { return []any{steps, c} })
	}})
	for at, where := range []string{"the own GPU", "the other GPU"} {
		rows = append(rows, Row{group, "store to " + where + " and system fence", "cycle", false, func(r *Runner) (float64, error) {
			g, err := r.reach(false)
			if err != nil {
				return 0, err
			}
			cells, err := r.wordsOn(g, at, "cells", 32)
			if err != nil {
				return 0, err
			}
			return r.clocked("FenceSystem", 1, 32, steps, false, func(c device.Buffer) []any { return []any{cells, steps, c} })
		}})
	}
	for _, shape := range [][2]int{{1, 32}, {132, 256}, {264, 256}} {
		rows = append(rows, Row{group, fmt.Sprintf("two GPUs, %d blocks of %d on each", shape[0], shape[1]), "cycle", false, func(r *Runner) (float64, error) {
			return r.groupBarrier(shape[0], shape[1])
		}})
	}
	return rows
}

// groupBarrier returns the cycles of a barrier of the blocks on GPUs 0 and 1.
func (r *Runner) groupBarrier(blocks, threads int) (float64, error) {
	const steps = 16
	g, err := r.reach(false)
	if err != nil {
		return 0, err
	}
	k, err := r.Kernels.Kernel(r.ctx, "internal/kernels/micro.GroupBarrier", nil)
	if err != nil {
		return 0, err
	}
	var counts, arrived, cycles [2]device.Buffer
	for i := range counts {
		if counts[i], err = r.wordsOn(g, i, "count", 1); err != nil {
			return 0, err
		}
		if arrived[i], err = r.wordsOn(g, i, "arrived", len(arrived)); err != nil {
			return 0, err
		}
		if cycles[i], err = allocOn[uint64](r, g.GPU(i), "cycles", device.U64, 1, nil); err != nil {
			return 0, err
		}
	}
	var cmds []device.Command
	for i, barrier := range scheduler.GroupBarriers(counts[:], arrived[:]) {
		cmds = append(cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: k, Grid: blocks, Block: threads, Cooperative: true,
			Args: []any{barrier, uint32(steps), cycles[i]}}})
	}
	if _, err := g.Run(r.ctx, cmds); err != nil {
		return 0, err
	}
	var c [1]uint64
	err = r.Device.Read(cycles[0], c[:])
	return float64(c[0]) / steps, err
}

func peerAtomics(group, name string, pattern uint32, words, steps int) Row {
	return Row{group, fmt.Sprintf("atomic add, %s, no result", name), "Gop/s", false, func(r *Runner) (float64, error) {
		g, err := r.reach(true)
		if err != nil {
			return 0, err
		}
		cells, err := r.wordsOn(g, 1, "cells", words)
		if err != nil {
			return 0, err
		}
		s, err := r.timed("AtomicThroughput", map[string]any{"pattern": pattern}, fillGrid, fillBlock, cells, 1, words-1, steps)
		return float64(fillGrid*fillBlock*steps) / s / 1e9, err
	}}
}

func hostCopyRows() []Row {
	const group = "copies with the host"
	const small, large = 64 << 10, 16 << 20
	to, from := flow{host, 0}, flow{0, host}
	return []Row{
		queuedRow(group, "host to GPU", small, false, to),
		queuedRow(group, "host to GPU", large, false, to),
		queuedRow(group, "GPU to host", small, false, from),
		queuedRow(group, "GPU to host", large, false, from),
		queuedRow(group, "both directions", large, false, to, from),
		queuedRow(group, "host to two GPUs", large, false, to, flow{host, 1}),
		queuedRow(group, "two GPUs to host", large, false, from, flow{1, host}),
	}
}
