package cuda

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/signals"
)

// This file has the calls of memory, streams, events and launches.

// sharer is a device that can have memory of the host.
type sharer interface {
	// Reserve keeps addresses for Share, before anything is allocated.
	Reserve()
	// Share makes memory of the host memory of the device, at an address that the host can have, too.
	Share(name string, data []byte) (device.Buffer, error)
}

func (s *session) doMalloc(q *request) *reply {
	s.allocated++
	name := s.sources.nameOf(string(q.data), int(q.A[1]), s.allocated)
	if q.A[0] > uint64(s.props.memory) {
		return &reply{code: memoryAllocation}
	}
	b, err := s.gpu().Alloc(name, device.U8, int(q.A[0]))
	if err != nil {
		return s.complain(memoryAllocation, "%v", err)
	}
	s.memory.add(&region{buffer: b, kind: kindGlobal, gpu: int(s.current)})
	return &reply{v: [4]uint64{b.Addr}}
}

func (s *session) doShare(q *request) *reply {
	d, ok := plain(s.gpu()).(sharer)
	if !ok {
		return s.complain(notSupported, "device %s cannot share memory with the program (cudaMallocManaged, cudaHostAlloc, cudaMallocHost)", s.spec.Name)
	}
	s.allocated++
	name := s.sources.nameOf(string(q.data), int(q.A[2]), s.allocated)
	if q.A[0] > s.props.memory {
		return &reply{code: memoryAllocation}
	}
	m, err := newShared(int(q.A[0]))
	if err != nil {
		return s.complain(operatingSystem, "memory that the program shares with the GPU: %v", err)
	}
	b, err := d.Share(name, m.data[:q.A[0]])
	if err != nil {
		m.close()
		return s.complain(memoryAllocation, "%v", err)
	}
	s.memory.add(&region{buffer: b, kind: int(q.A[1]), gpu: int(s.current), shared: m})
	return &reply{v: [4]uint64{b.Addr, uint64(len(m.data))}, data: []byte(m.path)}
}

func (s *session) doFree(q *request) *reply {
	if p := s.synchronized(nil); p.code != success || p.leave {
		return p
	}
	r := s.memory.remove(q.A[0])
	if r == nil {
		return s.complain(invalidValue, "cudaFree of %s", s.describe(q.A[0]))
	}
	if err := s.gpus[r.gpu].Free(r.buffer); err != nil {
		return s.complain(invalidValue, "%v", err)
	}
	p := &reply{}
	if r.shared != nil {
		p.v[0] = uint64(len(r.shared.data))
		r.shared.close()
	}
	return p
}

// describe says what an address is of.
func (s *session) describe(addr uint64) string {
	if r := s.memory.find(addr); r != nil {
		return fmt.Sprintf("byte %d of %s, which is not its begin", addr-r.buffer.Addr, r.buffer.Name)
	}
	return fmt.Sprintf("%#x, where no memory is allocated (or no longer)", addr)
}

// stream returns the stream of a handle, or the reply for one that there is not.
func (s *session) stream(handle uint64) (*stream, *reply) {
	if st := s.queue.stream(handle); st != nil {
		return st, nil
	}
	return nil, &reply{code: invalidHandle}
}

// synchronized does what a piece of work waits for, and the work; nil stands for everything.
func (s *session) synchronized(w *work) *reply {
	if err := s.queue.until(s.ctx, w, s); err != nil {
		s.fail(err)
	}
	return s.left()
}

// all does everything.
func (s *session) all() { s.synchronized(nil) }

// fail notes the error of a launch.
func (s *session) fail(err error) {
	if s.sticky == success {
		s.sticky = codeOf(err)
	}
	if s.failure == nil {
		s.failure = err
	}
	s.program.fail(err)
	s.queue.pending = nil
}

// maxPending is the number of launches after which the program does not get ahead further.
const maxPending = 256

// put puts work into a stream. With wait, the program waits for it.
func (s *session) put(st *stream, w *work, wait bool) *reply {
	s.queue.put(st, w)
	if wait {
		return s.synchronized(w)
	}
	if len(s.queue.pending) > maxPending {
		return s.synchronized(nil)
	}
	return &reply{}
}

func (s *session) doWrite(q *request) *reply {
	b, r, err := s.memory.part(q.A[0], q.Bytes)
	if err != nil {
		return s.complain(invalidValue, "a copy to the device: %v", err)
	}
	st, bad := s.stream(q.A[1])
	if bad != nil {
		return bad
	}
	return s.put(st, &work{do: func(float64) (float64, error) {
		return s.copying(len(q.data)), s.gpus[r.gpu].Write(b, q.data)
	}}, q.A[2] != 0)
}

func (s *session) doRead(q *request) *reply {
	b, r, err := s.memory.part(q.A[0], q.A[1])
	if err != nil {
		return s.complain(invalidValue, "a copy from the device: %v", err)
	}
	st, bad := s.stream(q.A[2])
	if bad != nil {
		return bad
	}
	return s.put(st, &work{do: func(float64) (float64, error) {
		data := make([]byte, q.A[1])
		err := s.gpus[r.gpu].Read(b, data)
		if err == nil {
			s.deliveries = append(s.deliveries, delivery{q.A[3], data})
		}
		return s.copying(len(data)), err
	}}, q.A[4] != 0)
}

// copying returns how long a copy between program and device takes.
func (s *session) copying(bytes int) float64 {
	if s.props.copyRate == 0 {
		return 0
	}
	return s.props.copyLatency + float64(bytes)/s.props.copyRate
}

func (s *session) doCopy(q *request) *reply {
	to, rt, err := s.memory.part(q.A[0], q.A[2])
	if err != nil {
		return s.complain(invalidValue, "a copy on the device: %v", err)
	}
	from, rf, err := s.memory.part(q.A[1], q.A[2])
	if err != nil {
		return s.complain(invalidValue, "a copy on the device: %v", err)
	}
	st, bad := s.stream(q.A[3])
	if bad != nil {
		return bad
	}
	return s.put(st, &work{do: func(float64) (float64, error) {
		data := make([]byte, q.A[2])
		if err := s.gpus[rf.gpu].Read(from, data); err != nil {
			return 0, err
		}
		return s.moving(len(data)), s.gpus[rt.gpu].Write(to, data)
	}}, false)
}

// moving returns how long work of the device itself on so many bytes of its memory takes.
func (s *session) moving(bytes int) float64 {
	if s.props.bus == 0 || s.props.copyRate == 0 {
		return 0
	}
	rate := float64(s.props.bus/8) * float64(s.props.memoryClock) * 2000 / 2 // it is read and written
	return s.props.deviceLatency + float64(bytes)/rate
}

func (s *session) doSet(q *request) *reply {
	addr, width, height, pitch := q.A[0], q.A[2], q.A[3], q.A[4]
	if pitch < width {
		return &reply{code: invalidValue}
	}
	var parts []device.Buffer
	gpu := 0
	for y := range height {
		b, r, err := s.memory.part(addr+y*pitch, width)
		if err != nil {
			return s.complain(invalidValue, "cudaMemset: %v", err)
		}
		parts, gpu = append(parts, b), r.gpu
	}
	st, bad := s.stream(q.A[5])
	if bad != nil {
		return bad
	}
	return s.put(st, &work{do: func(float64) (float64, error) {
		data := bytes.Repeat([]byte{byte(q.A[1])}, int(width))
		for _, b := range parts {
			if err := s.gpus[gpu].Write(b, data); err != nil {
				return 0, err
			}
		}
		return s.moving(int(width * height)), nil
	}}, false)
}

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
	l := &device.Launch{
		Kernel: f.kernel, Grid: int(q.A[1]), GridY: int(q.A[2]), GridZ: int(q.A[3]), Block: int(q.A[4]), BlockY: int(q.A[5]), BlockZ: int(q.A[6]),
		DynamicShared: int(q.A[7]), Cooperative: q.A[9] != 0, Args: args,
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
	o, err := s.gpu().Occupancy(f.kernel, int(threads))
	if err != nil {
		return outOfResources, err.Error()
	}
	if q.A[9] != 0 {
		blocks := grid[0] * grid[1] * grid[2]
		fit := o.BlocksPerSM
		for fit > 0 && q.A[7] > uint64(max(s.sharedFor(f, int(threads), fit), 0)) {
			fit--
		}
		if blocks > uint64(fit*o.SMs) {
			return cooperativeTooLarge, fmt.Sprintf("a cooperative launch of %d blocks of %d threads; at most %d fit the device at once (%d an SM, by %s)", blocks, threads, fit*o.SMs, fit, o.Limit)
		}
	}
	return success, ""
}

// launch runs launches, of several streams at the same time if the device can.
func (s *session) launch(ctx context.Context, ws []*work, begin float64) error {
	s.ran = true
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
	return s.spec.Advise(err, false)
}

func (s *session) doSynchronize(q *request) *reply {
	switch q.A[0] {
	case 1:
		st, bad := s.stream(q.A[1])
		if bad != nil {
			return bad
		}
		if st.id == legacyStream {
			return s.synchronized(nil)
		}
		if st.last == nil {
			return &reply{}
		}
		return s.synchronized(st.last)
	case 2:
		e := s.queue.events[q.A[1]]
		if e == nil {
			return &reply{code: invalidHandle}
		}
		if e.at == nil {
			return &reply{}
		}
		return s.synchronized(e.at)
	}
	return s.synchronized(nil)
}

// nonBlocking is the flag of a stream that does not wait for the legacy default stream.
const nonBlocking = 1

func (s *session) doStream(q *request) *reply {
	id := s.queue.next
	s.queue.next++
	s.queue.streams[id] = &stream{id: id, blocking: q.A[0]&nonBlocking == 0}
	return &reply{v: [4]uint64{id}}
}

func (s *session) doStreamEnd(q *request) *reply {
	st := s.queue.streams[q.A[0]]
	if st == nil || q.A[0] < firstHandle {
		return &reply{code: invalidHandle}
	}
	// Its work is still done.
	p := &reply{}
	if s.sticky == success && st.last != nil {
		p = s.synchronized(st.last)
	}
	delete(s.queue.streams, q.A[0])
	return p
}

func (s *session) doStreamWait(q *request) *reply {
	st, bad := s.stream(q.A[0])
	e := s.queue.events[q.A[1]]
	if bad != nil || e == nil {
		return &reply{code: invalidHandle}
	}
	if e.at == nil {
		return &reply{}
	}
	return s.put(st, &work{do: func(float64) (float64, error) { return 0, nil }, after: []*work{e.at}}, false)
}

// withoutTiming is the flag of an event that has no time.
const withoutTiming = 2

func (s *session) doEvent(q *request) *reply {
	id := s.queue.next
	s.queue.next++
	s.queue.events[id] = &event{timing: q.A[0]&withoutTiming == 0}
	return &reply{v: [4]uint64{id}}
}

func (s *session) doEventEnd(q *request) *reply {
	if s.queue.events[q.A[0]] == nil {
		return &reply{code: invalidHandle}
	}
	delete(s.queue.events, q.A[0])
	return &reply{}
}

func (s *session) doEventRecord(q *request) *reply {
	e := s.queue.events[q.A[0]]
	st, bad := s.stream(q.A[1])
	if bad != nil || e == nil {
		return &reply{code: invalidHandle}
	}
	s.queue.record(st, e)
	return &reply{}
}

func (s *session) doEventTime(q *request) *reply {
	start, end := s.queue.events[q.A[0]], s.queue.events[q.A[1]]
	if start == nil || end == nil || start.at == nil || end.at == nil || !start.timing || !end.timing {
		return &reply{code: invalidHandle}
	}
	// CUDA would say that an event is not done yet; here it is done at once.
	for _, e := range []*event{start, end} {
		if p := s.synchronized(e.at); p.code != success || p.leave {
			return p
		}
	}
	return &reply{v: [4]uint64{uint64(int64((end.at.end - start.at.end) * 1e12))}}
}

func (s *session) doMemory(*request) *reply {
	used := uint64(0)
	for _, r := range s.memory.regions {
		if r.gpu == int(s.current) {
			used += uint64(r.buffer.Len)
		}
	}
	return &reply{v: [4]uint64{s.props.memory - min(used, s.props.memory), s.props.memory}}
}

func (s *session) doPointer(q *request) *reply {
	r := s.memory.find(q.A[0])
	if r == nil {
		return &reply{}
	}
	return &reply{v: [4]uint64{uint64(r.kind), uint64(r.gpu), r.buffer.Addr, uint64(r.buffer.Len)}}
}

// doVariable finds a variable of a module on the device.
func (s *session) doVariable(q *request) *reply {
	m, err := s.module(q.A[0])
	if err != nil {
		return s.complain(invalidSymbol, "%v", err)
	}
	v, err := m.Variable(string(q.data))
	if err != nil {
		return s.complain(invalidSymbol, "%v", err)
	}
	if v.Managed {
		return s.complain(notSupported, "weft has no __managed__ variables yet: %s; cudaMallocManaged is there", v.Name)
	}
	b, err := device.VariableOn(s.gpu(), v.ForHost())
	if err != nil {
		return s.complain(memoryAllocation, "%v", err)
	}
	if s.memory.find(b.Addr) == nil {
		s.memory.add(&region{buffer: b, kind: kindGlobal, gpu: int(s.current)})
	}
	return &reply{v: [4]uint64{b.Addr, uint64(b.Bytes())}}
}
