//go:build cgo && linux

package worker

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/weft-gpu/weft/hw/internal/cuda"
)

// poison is the value that fills new device memory, to make reads of uninitialized memory visible.
const poison = 0xA5

// Serve answers requests until the parent sends OpEnd. All driver calls come from one thread, in which the context is
// current.
func Serve(ch *Channel) {
	runtime.LockOSThread()
	s := &server{ch: ch}
	s.capture()
	for {
		op := ch.next()
		if op == OpEnd {
			return
		}
		message, err := s.serve(op)
		ch.reply(message, fail(err))
	}
}

type loaded struct {
	module *cuda.Module
	fn     *cuda.Function
	chain  *cuda.Chain // nil if it is launched in steps
	// shared is the dynamic shared memory that the driver currently allows, and wide whether it allows clusters of more than 8 blocks.
	shared int
	wide   bool
	// offsets are those of the parameters among their bytes, if they are no words.
	offsets []int
}

// server is the child's side of the protocol.
type server struct {
	ch      *Channel
	part    bytes.Buffer // the parts of a long message received so far
	driver  *cuda.Driver
	gpus    []*gpu
	links   [][]Peer // how each GPU reaches each other one
	current *gpu     // whose context is current
	pinned  bool     // the GPUs copy to and from the shared memory by themselves
	// arena is how much of the arena is registered.
	arena int
	mark  uint32 // of the last of our own launches with an answer
	list  list   // that runs or ran last; its memory is reused
	// shares is memory that programs share with the GPUs, and output what kernels have printed.
	shares [][]byte
	output *os.File
}

// gpu is one GPU of the child.
type gpu struct {
	*server
	ctx      *cuda.Context
	timer    *cuda.Timer
	overhead float64 // see calibrate; 0 until it is known
	funcs    []*loaded
	modules  []*cuda.Module // of OpModule
	stamp    *cuda.Function // reads the clock for the watchdog
	armer    *cuda.Function // sets the watchdog's deadline
	answers  answers
	empty    *loaded            // the kernel of calibrate; nil before
	wake     uint64             // memory for the copies of wake; 0 before
	stamped  bool               // whether the last launch has noted when it began
	copied   [Slots]*cuda.Event // after the last copy of a slot
	queues   []*queue           // in the order of their first use
	events   []*cuda.Event      // for commands of lists
	used     int                // how many of them are in use
	times    clock
	// busy means that work of the default stream may not have ended, for which other streams do not wait.
	busy bool
}

// use makes the context of a GPU current.
func (s *server) use(g *gpu) error {
	if s.current == g {
		return nil
	}
	err := g.ctx.MakeCurrent()
	if err == nil {
		s.current = g
	}
	return err
}

// serve performs a request, and returns the message of the reply.
func (s *server) serve(op Op) (any, error) {
	switch op {
	case OpPart:
		s.part.Write(s.ch.mem[stagingAt:][:s.ch.head().Bytes])
		return nil, nil
	case OpOpen:
		return answerTo(s, s.open)
	case OpReserve:
		return answerTo(s, func(n int) (any, error) { s.reserve(n); return nil, nil })
	case OpRun:
		return nil, s.run(s.ch.Run())
	}
	n := int(s.ch.head().GPU)
	if n >= len(s.gpus) {
		return nil, fmt.Errorf("the hardware child has no GPU %d", n)
	}
	w := s.gpus[n]
	if err := s.use(w); err != nil {
		return nil, err
	}
	switch op {
	case OpLaunch:
		return nil, w.launch(w.ch.Launch())
	case OpCopy:
		return nil, w.copy(w.ch.Copy())
	case OpAlloc:
		return answerTo(s, w.alloc)
	case OpFree:
		return answerTo(s, func(addr uint64) (any, error) { return nil, w.ctx.Free(addr) })
	case OpLoad:
		return answerTo(s, func(a LoadArgs) (FuncInfo, error) { return w.load(a) })
	case OpOccupancy:
		return answerTo(s, w.occupancy)
	case OpModule:
		return answerTo(s, w.module)
	case OpFunction:
		return answerTo(s, w.function)
	case OpGlobal:
		return answerTo(s, w.global)
	case OpShare:
		return answerTo(s, w.share)
	case OpUnshare:
		return answerTo(s, func(addr uint64) (any, error) { return nil, w.unshare(addr) })
	case OpFill:
		return answerTo(s, func(a FillArgs) (any, error) { return nil, w.fill(a) })
	case OpTensorMap:
		return answerTo(s, func(a TensorMapArgs) (TensorMap, error) { return w.encode(a) })
	case OpReady:
		return nil, w.ready(w.ch.Launch())
	case OpReadyLists:
		return nil, s.readyLists()
	case OpClock:
		return answerTo(s, func(int) (Clock, error) { return w.tie() })
	case OpPrinted:
		return answerTo(s, func(int) (string, error) { return w.printed() })
	}
	return nil, fmt.Errorf("the hardware child knows no request %d", op)
}

// answerTo decodes the message of a request and performs it.
func answerTo[A, R any](w *server, do func(A) (R, error)) (any, error) {
	w.part.Write(w.ch.mem[stagingAt:][:w.ch.head().Bytes])
	defer w.part.Reset()
	var args A
	if err := gob.NewDecoder(&w.part).Decode(&args); err != nil {
		return nil, err
	}
	r, err := do(args)
	return r, err
}

// fail converts an error for the reply.
func fail(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Text: err.Error()}
	var missing *cuda.Missing
	var driver *cuda.Error
	if errors.As(err, &missing) {
		f.Missing = true
	}
	if errors.As(err, &driver) {
		f.Sticky, f.Name = driver.Sticky(), driver.Name
	}
	return f
}

// open opens GPUs, and finds out how they reach each other.
func (s *server) open(numbers []int) (o Opened, err error) {
	if s.driver, err = cuda.Open(); err != nil {
		return o, err
	}
	for _, i := range numbers {
		g := &gpu{server: s}
		info, err := g.open(i, len(numbers) > 1)
		if err != nil {
			return o, err
		}
		s.gpus = append(s.gpus, g)
		o.GPUs = append(o.GPUs, info)
	}
	s.links, err = s.peers()
	o.Peers = s.links
	return o, err
}

// open creates the context of GPU i and describes the GPU. grouped means that it is one of several.
func (w *gpu) open(i int, grouped bool) (info Info, err error) {
	if w.ctx, err = w.driver.NewContext(i); err != nil {
		return info, err
	}
	w.current = w
	if w.timer, err = w.ctx.NewTimer(); err != nil {
		return info, err
	}
	if err := w.describe(i, &info); err != nil {
		return info, err
	}
	if err := w.pin(info.Major, grouped); err != nil {
		return info, err
	}
	info.Pinned = w.pinned
	if inProcess() {
		return info, nil // a profiler of this process should not see these launches, nor wait for them
	}
	info.Answers, err = w.calibrate()
	info.EventOverhead, info.AnswerOverhead = w.overhead, w.answers.overhead
	return info, err
}

// pin makes the shared memory accessible to all GPUs, if the system allows it; otherwise copies go through the driver's
// own memory, which is correct but slower. The GPU of a group writes no answers by itself: when the host sees one, stores
// of the kernel to the memory of another GPU may still be on their way. An H200 shows that.
func (w *gpu) pin(capability int, grouped bool) error {
	if len(w.gpus) == 0 { // the first GPU does it for all
		w.pinned = w.ctx.Register(w.ch.mem) == nil
	}
	if !w.pinned {
		return nil
	}
	var err error
	for i := range w.copied {
		if w.copied[i], err = w.ctx.NewEvent(false); err != nil {
			return err
		}
	}
	if grouped || inProcess() { // a profiler would see kernels that are not the user's
		return nil
	}
	at, err := w.ctx.Mapped(w.ch.mem)
	if err != nil {
		return nil
	}
	return w.answers.open(w, at, capability)
}

// inProcess reports whether the parent is this process.
func inProcess() bool { return os.Getenv(InProcess) != "" }

// describe queries the driver for the properties of the GPU.
func (w *gpu) describe(i int, info *Info) (err error) {
	info.Index = i
	if info.Name, err = w.ctx.Name(); err != nil {
		return err
	}
	if info.DriverVersion, err = w.driver.Version(); err != nil {
		return err
	}
	var coop int
	for _, a := range []struct {
		attr cuda.DeviceAttribute
		dst  *int
	}{
		{cuda.CapabilityMajor, &info.Major}, {cuda.CapabilityMinor, &info.Minor}, {cuda.SMCount, &info.SMs},
		{cuda.ClockRate, &info.ClockKHz}, {cuda.MemoryClockRate, &info.MemoryClockKHz}, {cuda.MemoryBusWidth, &info.MemoryBusBits},
		{cuda.L2Bytes, &info.L2Bytes}, {cuda.ThreadsPerSM, &info.ThreadsPerSM}, {cuda.BlocksPerSM, &info.BlocksPerSM},
		{cuda.RegistersPerSM, &info.RegistersPerSM}, {cuda.SharedPerSM, &info.SharedPerSM},
		{cuda.SharedPerBlockOptin, &info.SharedPerBlock}, {cuda.ReservedShared, &info.ReservedShared}, {cuda.CooperativeLaunch, &coop},
	} {
		if *a.dst, err = w.ctx.Attribute(a.attr); err != nil {
			return err
		}
	}
	info.SupportsCooperative = coop != 0
	if info.MemoryFree, info.Memory, err = w.ctx.Memory(); err != nil {
		return err
	}
	return nil
}

// alloc reserves device memory.
func (w *gpu) alloc(a AllocArgs) (uint64, error) {
	addr, err := w.ctx.Alloc(max(a.Bytes, 1))
	if err == nil && a.Poison {
		w.busy = true
		err = w.ctx.Set(addr, poison, a.Bytes)
	}
	return addr, err
}

// load compiles PTX.
func (w *gpu) load(a LoadArgs) (info FuncInfo, err error) {
	m, err := w.ctx.Load(a.PTX)
	if err != nil {
		return info, err
	}
	if info, err = w.add(m, a.Entry, a.Offsets); err == nil && a.WideCluster {
		err = w.funcs[info.Number].fn.AllowWideClusters()
	}
	return info, err
}

// add adds a function of a module to those that can be launched.
func (w *gpu) add(m *cuda.Module, entry string, offsets []int) (info FuncInfo, err error) {
	fn, err := m.Function(entry)
	if err != nil {
		return info, err
	}
	info.Log = m.Log
	for _, x := range []struct {
		attr cuda.FunctionAttribute
		dst  *int
	}{
		{cuda.FuncRegisters, &info.Registers}, {cuda.FuncShared, &info.Shared}, {cuda.FuncLocal, &info.Local}, {cuda.FuncMaxThreads, &info.MaxThreads},
		{cuda.FuncConst, &info.Const}, {cuda.FuncPTX, &info.PTX}, {cuda.FuncBinary, &info.Binary},
	} {
		if *x.dst, err = fn.Attribute(x.attr); err != nil {
			return info, err
		}
	}
	info.Number = len(w.funcs)
	like := cuda.Launch{Function: fn, Offsets: offsets}
	w.funcs = append(w.funcs, &loaded{module: m, fn: fn, chain: w.answers.chain(&like), offsets: offsets})
	return info, nil
}

// one compiles one of our own kernels.
func (w *gpu) one(text, entry string) (*cuda.Function, error) {
	info, err := w.load(LoadArgs{PTX: text, Entry: entry})
	if err != nil {
		return nil, err
	}
	return w.funcs[info.Number].fn, nil
}

// allow makes the driver allow what a launch needs.
func (f *loaded) allow(a *LaunchCall) error {
	if a.Cluster[0]*a.Cluster[1]*a.Cluster[2] > cuda.PortableCluster && !f.wide {
		if err := f.fn.AllowWideClusters(); err != nil {
			return err
		}
		f.wide = true
	}
	return f.setShared(a.DynamicShared)
}

// setShared makes the driver allow a launch's dynamic shared memory.
func (f *loaded) setShared(bytes int) error {
	if bytes <= f.shared {
		return nil
	}
	err := f.fn.SetDynamicShared(bytes)
	if err == nil {
		f.shared = bytes
	}
	return err
}

// occupancy returns how many blocks fit on an SM, according to the driver.
func (w *gpu) occupancy(a OccupancyArgs) (int, error) {
	f := w.funcs[a.Func]
	if err := f.setShared(a.DynamicShared); err != nil { // above 48 KiB in total, the driver's calculation requires the opt-in first
		return 0, err
	}
	return f.fn.BlocksPerSM(a.Block, a.DynamicShared)
}
