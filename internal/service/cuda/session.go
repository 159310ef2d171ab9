package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
)

// session is one process of the program, which has made a CUDA call.
type session struct {
	program *Program
	ctx     context.Context
	spec    *devices.Spec
	opened  device.Device // all GPUs
	timed   *run.Timed
	gpus    []device.Device // by number
	props   properties

	memory    memory
	queue     *queue
	rounds    rounds
	empty     *emptyKernel // nil before the first launch, or if nobody asked for it
	modules   []*module
	functions []*function

	peers      map[[2]uint32]bool
	allocated  int
	sources    sources
	sticky     code // the error of all later calls
	deliveries []delivery
	failure    error // of a launch, the first one
	ran        bool  // a kernel has run since its output was looked for
	current    uint32
}

// newSession opens the device.
func newSession(ctx context.Context, p *Program) (*session, error) {
	s := &session{program: p, ctx: ctx, spec: p.Device, queue: newQueue(), peers: map[[2]uint32]bool{}, sources: sources{dir: p.dir}}
	var err error
	if s.opened, err = s.spec.Open(ctx, p.Watch); err != nil {
		return nil, err
	}
	s.props = propertiesOf(s.spec, s.opened)
	s.timed = run.NewTimed(s.opened)
	s.gpus = []device.Device{s.timed}
	if s.spec.GPUs > 0 {
		s.gpus = nil
		for i := range s.spec.GPUs {
			s.gpus = append(s.gpus, s.timed.GPU(i))
		}
	}
	s.props.peers = uint64(len(s.gpus))
	if d, ok := plain(s.gpus[0]).(sharer); ok {
		d.Reserve()
	}
	return s, nil
}

// idle is how long launches wait for more of them before they run: so long may a program compute between two, and launches of
// several streams still run at the same time. A program that waits for memory to change, without a call, gets them run then.
const idle = time.Second

// serve answers requests until the program closes the connection. When it does, gone ends a launch that still runs.
func (s *session) serve(conn net.Conn, gone func()) error {
	requests := make(chan *request)
	var broken error
	ended := make(chan struct{})
	go func() {
		defer close(requests)
		defer gone()
		for {
			q, err := readRequest(conn)
			if err != nil {
				broken = err
				return
			}
			select {
			case requests <- q:
			case <-ended:
				return
			}
		}
	}()
	defer close(ended)
	for {
		var q *request
		select {
		case q = <-requests:
		case <-time.After(idle):
			if len(s.queue.pending) > 0 {
				s.all()
			}
			q = <-requests
		}
		if q == nil {
			return broken
		}
		p := s.answer(q)
		p.text = append(p.text, s.printed()...)
		p.deliveries, s.deliveries = s.deliveries, nil
		if err := p.write(conn); err != nil {
			return err
		}
		if p.leave {
			return nil
		}
	}
}

// plain returns the device without what wraps it.
func plain(d device.Device) device.Device {
	for {
		switch w := d.(type) {
		case *run.Timed:
			d = w.Device
		case interface{ Unwrap() device.Device }:
			d = w.Unwrap()
		default:
			return d
		}
	}
}

// complain tells the user about a call that fails for a reason which its code does not tell.
func (s *session) complain(c code, format string, args ...any) *reply {
	s.program.warn(fmt.Sprintf(format, args...))
	return &reply{code: c}
}

// handlers answer the calls.
var handlers map[call]func(*session, *request) *reply

func init() {
	handlers = map[call]func(*session, *request) *reply{
		callModule: (*session).doModule, callFunction: (*session).doFunction, callVariable: (*session).doVariable,
		callMalloc: (*session).doMalloc, callShare: (*session).doShare, callFree: (*session).doFree,
		callWrite: (*session).doWrite, callRead: (*session).doRead, callCopy: (*session).doCopy, callSet: (*session).doSet,
		callLaunch: (*session).doLaunch, callSynchronize: (*session).doSynchronize,
		callStream: (*session).doStream, callStreamEnd: (*session).doStreamEnd, callStreamWait: (*session).doStreamWait,
		callEvent: (*session).doEvent, callEventEnd: (*session).doEventEnd, callEventRecord: (*session).doEventRecord, callEventTime: (*session).doEventTime,
		callDevice: (*session).doDevice, callOccupancy: (*session).doOccupancy, callAttributes: (*session).doAttributes, callSetAttribute: (*session).doSetAttribute,
		callMemory: (*session).doMemory, callReset: (*session).doReset, callPeer: (*session).doPeer, callTexture: (*session).doTexture, callTensorMap: (*session).doTensorMap, callPointer: (*session).doPointer,
		callTrap: (*session).doTrap, callExit: (*session).doExit,
	}
}

// harmless are the calls that are answered after an error of a kernel, too.
var harmless = []call{callDevice, callTrap, callExit, callEventEnd, callStreamEnd, callReset}

// answer answers a request.
func (s *session) answer(q *request) *reply {
	h := handlers[call(q.Call)]
	if h == nil {
		return s.complain(initializationError, "the program makes a call (number %d) that this weft does not know; build it again", q.Call)
	}
	if int(q.Device) >= len(s.gpus) {
		return &reply{code: invalidDevice}
	}
	s.current = q.Device
	if s.sticky != success && !slices.Contains(harmless, call(q.Call)) {
		return &reply{code: s.sticky}
	}
	return h(s, q)
}

// gpu returns the GPU of the call.
func (s *session) gpu() device.Device { return s.gpus[s.current] }

func (s *session) doModule(q *request) *reply {
	n, err := s.load(q.data)
	if errors.Is(err, errNoPTX) {
		return s.complain(noKernelImage, "%v", err)
	}
	if err != nil {
		return s.complain(invalidPTX, "%v", err)
	}
	return &reply{v: [4]uint64{n}}
}

func (s *session) doFunction(q *request) *reply {
	m, err := s.module(q.A[0])
	if err != nil {
		return s.complain(invalidFunction, "%v", err)
	}
	n, sizes, err := s.function(m, string(q.data))
	if err != nil {
		return s.complain(invalidPTX, "%v", err)
	}
	return &reply{v: [4]uint64{n}, data: sizes}
}

func (s *session) doDevice(q *request) *reply {
	if q.A[0] >= uint64(len(s.gpus)) {
		return &reply{code: invalidDevice}
	}
	var data []byte
	for _, v := range s.props.list() {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	return &reply{v: [4]uint64{uint64(len(s.gpus))}, data: append(data, s.props.name...)}
}

func (s *session) doOccupancy(q *request) *reply {
	f, err := s.known(q.A[0])
	if err != nil {
		return &reply{code: invalidFunction}
	}
	blocks, _, err := s.fit(f, int(q.A[1]), q.A[2], 0)
	if err != nil {
		return &reply{} // no block fits
	}
	return &reply{v: [4]uint64{uint64(blocks)}}
}

// fit returns how many blocks with dynamic shared memory fit an SM, and the occupancy without. Without a number of registers it is that of the kernel.
func (s *session) fit(f *function, threads int, shared uint64, registers int) (blocks int, o device.Occupancy, err error) {
	if s.real(int(s.current)) != nil { // the driver computes it
		o, err = device.Fit(s.gpu(), device.Launch{Kernel: f.kernel, Grid: 1, Block: threads, DynamicShared: int(shared)})
		return o.BlocksPerSM, o, err
	}
	// The device computes it without dynamic shared memory, whose limit is what the blocks leave free.
	o, err = device.Fit(s.gpu(), device.Launch{Kernel: f.kernel, Grid: 1, Block: threads, Regs: registers})
	for blocks = o.BlocksPerSM; blocks > 0 && shared > uint64(max(s.sharedFor(f, threads, blocks), 0)); blocks-- {
	}
	return blocks, o, err
}

// sharedFor returns how much dynamic shared memory each of so many blocks may have.
func (s *session) sharedFor(f *function, threads, blocks int) int {
	free := int(s.props.sharedSM)/blocks - f.shared
	if s.props.major >= 8 {
		free -= 1 << 10 // the system's, of each block
	}
	return min(free, int(s.props.sharedOptin)-f.shared)
}

func (s *session) doAttributes(q *request) *reply {
	f, err := s.known(q.A[0])
	if err != nil {
		return &reply{code: invalidFunction}
	}
	most := uint64(1024)
	if b := f.entry.MaxBlock; b != [3]int{} {
		most = uint64(max(b[0], 1) * max(b[1], 1) * max(b[2], 1))
	}
	if d := s.real(int(s.current)); d != nil {
		return s.attributesOfReal(d, f, most)
	}
	regs := f.kernel.Registers
	if o, err := s.gpu().Occupancy(f.kernel, 32); err == nil {
		regs = o.Regs
	}
	sm := s.props.major*10 + s.props.minor
	var data []byte
	for _, v := range []uint64{uint64(f.shared), 0, uint64(f.kernel.Local), most, uint64(regs), uint64(f.entry.For), sm, uint64(f.dynamic)} {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	return &reply{data: data}
}

// maxDynamicShared is the number of cudaFuncAttributeMaxDynamicSharedMemorySize, preferredCarveout that of
// cudaFuncAttributePreferredSharedMemoryCarveout, which is a hint.
const (
	maxDynamicShared  = 8
	preferredCarveout = 9
	wideClusters      = 14
)

func (s *session) doSetAttribute(q *request) *reply {
	f, err := s.known(q.A[0])
	if err != nil {
		return &reply{code: invalidFunction}
	}
	switch q.A[1] {
	case maxDynamicShared:
		if int64(q.A[2]) < 0 || int64(q.A[2])+int64(f.shared) > int64(s.props.sharedOptin) {
			return &reply{code: invalidValue}
		}
		f.dynamic = int(q.A[2])
	case preferredCarveout:
	case wideClusters:
		f.wide = q.A[2] != 0
	default:
		return &reply{code: invalidValue}
	}
	return &reply{}
}

func (s *session) doPeer(q *request) *reply {
	from, to := uint32(q.A[1]), uint32(q.A[2])
	if q.A[1] >= uint64(len(s.gpus)) || q.A[2] >= uint64(len(s.gpus)) {
		return &reply{code: invalidDevice}
	}
	can := false
	if g, ok := device.AsGroup(s.opened); ok && from != to {
		can = g.Peer(int(from), int(to)).Access
	}
	pair := [2]uint32{from, to}
	switch {
	case q.A[0] == 0:
		if can {
			return &reply{v: [4]uint64{1}}
		}
	case !can:
		return &reply{code: peerUnsupported}
	case q.A[0] == 1:
		if s.peers[pair] {
			return &reply{code: peerEnabled}
		}
		s.peers[pair] = true
	default:
		if !s.peers[pair] {
			return &reply{code: peerNotEnabled}
		}
		delete(s.peers, pair)
	}
	return &reply{}
}

func (s *session) doTrap(q *request) *reply {
	s.program.fail(fmt.Errorf("the program calls %s, which weft does not have", q.data))
	return &reply{leave: true, v: [4]uint64{1}}
}

// doExit ends what the program has not waited for.
func (s *session) doExit(*request) *reply {
	s.end()
	return s.left()
}

// end does what is left to do on the device.
func (s *session) end() {
	if s.sticky == success {
		s.all()
	}
	if s.sticky == success {
		if err := s.emptyAfter(); err != nil {
			s.fail(err)
		}
	}
}

// left is the reply of a call after which the program may have to end.
func (s *session) left() *reply {
	p := &reply{code: s.sticky}
	if status, ends := s.program.ends(s.failure); ends {
		p.leave, p.v[0] = true, uint64(status)
	}
	return p
}

// doReset begins anew. The program has to unmap what it shared, since the next memory may have the same addresses.
func (s *session) doReset(*request) *reply {
	s.end()
	p := &reply{text: s.printed()}
	for _, r := range s.memory.regions {
		if r.shared != nil {
			p.v[0]++
			p.data = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(p.data, r.at), uint64(len(r.shared.data)))
		}
	}
	s.free()
	if err := s.opened.Close(); err != nil {
		return s.complain(initializationError, "%v", err)
	}
	next, err := newSession(s.ctx, s.program)
	if err != nil {
		return s.complain(initializationError, "%v", err)
	}
	s.program.took(s)
	next.deliveries = s.deliveries
	failure := s.failure
	*s = *next
	s.failure = failure
	return p
}

// free frees what lies outside of the device.
func (s *session) free() {
	for _, r := range s.memory.regions {
		if r.shared != nil {
			r.shared.close()
		}
	}
	s.memory.regions = nil
}
