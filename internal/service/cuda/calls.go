package cuda

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// This file has the calls of memory; calls_stream.go those of streams and events, calls_launch.go those of launches.

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
	return s.placed(&region{buffer: b, kind: kindGlobal, gpu: int(s.current)})
}

// placed enters memory of the current GPU, and answers with its address.
func (s *session) placed(r *region) *reply {
	var err error
	if r.at, err = s.address(r.gpu, r.buffer); err != nil {
		return s.complain(memoryAllocation, "%v", err)
	}
	if s.memory.find(r.at) == nil { // a variable may be asked for again
		s.memory.add(r)
	}
	return &reply{v: [4]uint64{r.at}}
}

func (s *session) doShare(q *request) *reply {
	share := s.sharing()
	if share == nil {
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
	b, err := share(name, m, int(q.A[0]))
	if err != nil {
		m.close()
		return s.complain(memoryAllocation, "%v", err)
	}
	p := s.placed(&region{buffer: b, kind: int(q.A[1]), gpu: int(s.current), shared: m})
	p.v[1], p.data = uint64(len(m.data)), []byte(m.path)
	return p
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
		return fmt.Sprintf("byte %d of %s, which is not its begin", addr-r.at, r.buffer.Name)
	}
	return fmt.Sprintf("%#x, where no memory is allocated (or no longer)", addr)
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
	return s.put(st, &work{do: s.measured(func() (float64, error) {
		return s.copying(len(q.data)), s.gpus[r.gpu].Write(b, q.data)
	})}, q.A[2] != 0)
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
	return s.put(st, &work{do: s.measured(func() (float64, error) {
		data := make([]byte, q.A[1])
		err := s.gpus[r.gpu].Read(b, data)
		if err == nil {
			s.deliveries = append(s.deliveries, delivery{q.A[3], data})
			err = s.circles(b)
		}
		return s.copying(len(data)), err
	})}, q.A[4] != 0)
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
	return s.put(st, &work{do: s.measured(func() (float64, error) {
		if d, ok := s.gpus[rt.gpu].(device.Copier); ok && s.real(0) != nil && rf.gpu == rt.gpu {
			return 0, d.Copy(s.ctx, device.Copy{Dst: to, Src: from})
		}
		data := make([]byte, q.A[2])
		if err := s.gpus[rf.gpu].Read(from, data); err != nil {
			return 0, err
		}
		return s.moving(len(data)), s.gpus[rt.gpu].Write(to, data)
	})}, false)
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
	return s.put(st, &work{do: s.measured(func() (float64, error) {
		fill := s.filling(gpu, byte(q.A[1]), int(width))
		for _, b := range parts {
			if err := fill(b); err != nil {
				return 0, err
			}
		}
		return s.moving(int(width * height)), nil
	})}, false)
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
	return &reply{v: [4]uint64{uint64(r.kind), uint64(r.gpu), r.at, uint64(r.buffer.Len)}}
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
	p := s.placed(&region{buffer: b, kind: kindGlobal, gpu: int(s.current)})
	p.v[1] = uint64(b.Bytes())
	return p
}
