package cuda

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/signals"
)

func (s *session) doLaunch(q *request) *reply {
	f, err := s.known(q.A[0])
	if err != nil || q.A[11] > q.Bytes {
		return &reply{code: invalidFunction}
	}
	st, bad := s.stream(q.A[8])
	if bad != nil {
		return bad
	}
	args, err := f.arguments(q.data[:q.A[11]])
	if err != nil {
		return s.complain(invalidValue, "launch of %s: %v", f.entry.Shown, err)
	}
	at := ""
	if file := string(q.data[q.A[11]:]); file != "" {
		at = fmt.Sprintf("%s:%d: ", file, q.A[10])
	}
	if c, what := s.fits(f, q); c != success {
		return s.complain(c, "%slaunch of %s: %s", at, f.entry.Shown, what)
	}
	cluster := f.cluster(q)
	l := &device.Launch{
		Kernel: f.kernel, Grid: int(q.A[1]), GridY: int(q.A[2]), GridZ: int(q.A[3]), Block: int(q.A[4]), BlockY: int(q.A[5]), BlockZ: int(q.A[6]),
		DynamicShared: int(q.A[7]), Cooperative: q.A[9]&1 != 0, Cluster: cluster[0], ClusterY: cluster[1], ClusterZ: cluster[2], Args: args,
		Regs: s.registers(f, int(q.A[4]*q.A[5]*q.A[6])),
	}
	w := &work{launch: l, kernel: f.entry.Shown, gpu: s.current}
	s.program.launched()
	return s.put(st, w, false)
}

// fits returns the error of a launch that no GPU of this kind takes.
func (s *session) fits(f *function, q *request) (code, string) {
	grid, block := [3]uint64{q.A[1], q.A[2], q.A[3]}, [3]uint64{q.A[4], q.A[5], q.A[6]}
	for _, n := range [...]uint64{grid[0], grid[1], grid[2], block[0], block[1], block[2]} {
		if n == 0 {
			return invalidConfiguration, fmt.Sprintf("a grid of %dx%dx%d blocks of %dx%dx%d threads", grid[0], grid[1], grid[2], block[0], block[1], block[2])
		}
	}
	threads := block[0] * block[1] * block[2]
	if block[0] > 1024 || block[1] > 1024 || block[2] > 64 || threads > 1024 {
		return invalidConfiguration, fmt.Sprintf("a block of %dx%dx%d threads; a block has at most 1024", block[0], block[1], block[2])
	}
	if grid[0] > 1<<31-1 || grid[1] > 65535 || grid[2] > 65535 {
		return invalidConfiguration, fmt.Sprintf("a grid of %dx%dx%d blocks", grid[0], grid[1], grid[2])
	}
	if b := f.entry.MaxBlock; b != [3]int{} && threads > uint64(max(b[0], 1)*max(b[1], 1)*max(b[2], 1)) {
		return invalidValue, fmt.Sprintf("a block of %d threads; its __launch_bounds__ say at most %d", threads, max(b[0], 1)*max(b[1], 1)*max(b[2], 1))
	}
	if q.A[7] > uint64(f.dynamic) {
		return invalidValue, fmt.Sprintf("%d bytes of dynamic shared memory; at most %d without cudaFuncSetAttribute", q.A[7], f.dynamic)
	}
	fit, o, err := s.fit(f, int(threads), q.A[7], s.registers(f, int(threads)))
	if err != nil {
		return outOfResources, err.Error()
	}
	if c, what := f.clusters(q); c != success {
		return c, what
	}
	if q.A[9]&1 != 0 {
		blocks := grid[0] * grid[1] * grid[2]
		if blocks > uint64(fit*o.SMs) {
			return cooperativeTooLarge, fmt.Sprintf("a cooperative launch of %d blocks of %d threads; at most %d fit the device at once (%d an SM, by %s)", blocks, threads, fit*o.SMs, fit, o.Limit)
		}
	}
	return success, ""
}

// registers returns the registers of a thread with which a block fits an SM, where it would not by the estimate, and else 0. The estimate is of registers
// without spills, and a program that is run has been launched with such blocks before.
func (s *session) registers(f *function, threads int) int {
	if s.real(int(s.current)) != nil {
		return 0
	}
	warps := uint64(threads+31) / 32
	if most := int(s.props.registers/(32*warps)) / 8 * 8; f.kernel.Registers > most {
		return most
	}
	return 0
}

// cluster returns the numbers of blocks in a cluster of a launch, along each dimension; 0 if it has none.
func (f *function) cluster(q *request) [3]int {
	if n := int(q.A[9] >> 1); n > 0 {
		return [3]int{max(n&255, 1), max(n>>8&255, 1), max(n>>16&255, 1)}
	}
	return f.entry.OnlyCluster
}

// clusters returns the error of a launch with clusters that a GPU does not take.
func (f *function) clusters(q *request) (code, string) {
	c := f.cluster(q)
	if n := c[0] * c[1] * c[2]; n > 16 || n > 8 && !f.wide {
		return invalidClusterSize, fmt.Sprintf("clusters of %d blocks; at most 8, and with cudaFuncAttributeNonPortableClusterSizeAllowed 16", n)
	}
	for i, name := range "xyz" {
		if c[i] > 1 && q.A[1+i]%uint64(c[i]) != 0 {
			return invalidConfiguration, fmt.Sprintf("a grid of %d blocks along %c, which clusters of %d do not divide", q.A[1+i], name, c[i])
		}
	}
	return success, ""
}

// launch runs launches, of several streams at the same time if the device can.
func (s *session) launch(ctx context.Context, ws []*work, begin float64) error {
	if err := s.emptyBefore(ctx, ws); err != nil {
		return err
	}
	s.ran = true
	for _, w := range ws {
		s.rounds.launch(w.kernel, w.launch)
	}
	first := s.gpus[ws[0].gpu]
	together := len(ws) > 1 && first.Capabilities().Has(device.Streams)
	var ls []device.Launch
	for _, w := range ws {
		l := *w.launch
		l.Stream = int(w.stream)
		ls = append(ls, l)
		together = together && w.gpu == ws[0].gpu
	}
	if !together {
		for i, w := range ws {
			r, err := s.gpus[w.gpu].Launch(ctx, ls[i])
			end := begin
			if r != nil {
				end += r.Seconds
				s.program.note(ls[i].Kernel.Name, &ls[i], r)
			}
			for _, before := range w.after {
				end = max(end, before.end)
			}
			w.finish(end)
			if err != nil {
				return s.launchError(w, err)
			}
		}
		return nil
	}
	reports, err := device.LaunchAll(ctx, first, ls)
	ends := map[uint64]float64{}
	for i, w := range ws {
		end := max(begin, ends[w.stream])
		if i < len(reports) && reports[i] != nil {
			end += reports[i].Seconds
			s.program.note(ls[i].Kernel.Name, &ls[i], reports[i])
		}
		ends[w.stream] = end
		w.finish(end)
	}
	if err != nil {
		return s.launchError(ws[0], err)
	}
	return nil
}

// launchError is the error of a launch. What does not fit is one that CUDA reports, too.
func (s *session) launchError(w *work, err error) error {
	var arg *device.ArgError
	if errors.As(err, &arg) {
		return fmt.Errorf("launch of %s: %s", w.kernel, arg.What)
	}
	if signals.Ended(err) || s.ctx.Err() != nil {
		return err
	}
	return s.spec.AdvisePTX(err, false)
}
