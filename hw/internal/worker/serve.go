//go:build cgo && linux

package worker

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/weft-gpu/weft/hw/internal/cuda"
)

// poison is the value that fills new device memory, to make reads of uninitialized memory visible.
const poison = 0xA5

// Serve answers requests until the parent sends OpEnd. All driver calls come from one thread, in which the context is
// current.
func Serve(ch *Channel) {
	runtime.LockOSThread()
	w := &server{ch: ch}
	for {
		op := ch.next()
		if op == OpEnd {
			return
		}
		message, err := w.serve(op)
		ch.reply(message, fail(err))
	}
}

type loaded struct {
	module *cuda.Module
	fn     *cuda.Function
	chain  *cuda.Chain // nil if it is launched in steps
	// shared is the dynamic shared memory that the driver currently allows.
	shared int
}

// server is the child's side of the protocol.
type server struct {
	ch       *Channel
	part     bytes.Buffer // the parts of a long message received so far
	ctx      *cuda.Context
	timer    *cuda.Timer
	overhead float64 // see calibrate; 0 until it is known
	funcs    []*loaded
	stamp    *cuda.Function // reads the clock for the watchdog
	answers  answers
	pinned   bool               // the GPU copies to and from the shared memory by itself
	copied   [Slots]*cuda.Event // after the last copy of a slot
}

// serve performs a request, and returns the message of the reply.
func (w *server) serve(op Op) (any, error) {
	switch op {
	case OpLaunch:
		return nil, w.launch(w.ch.Launch())
	case OpCopy:
		return nil, w.copy(w.ch.Copy())
	case OpPart:
		w.part.Write(w.ch.mem[stagingAt:][:w.ch.head().Bytes])
		return nil, nil
	case OpOpen:
		return answerTo(w, w.open)
	case OpAlloc:
		return answerTo(w, w.alloc)
	case OpFree:
		return answerTo(w, func(addr uint64) (any, error) { return nil, w.ctx.Free(addr) })
	case OpLoad:
		return answerTo(w, func(a LoadArgs) (FuncInfo, error) { return w.load(a) })
	case OpOccupancy:
		return answerTo(w, w.occupancy)
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

// open creates the context of GPU i and describes the GPU.
func (w *server) open(i int) (info Info, err error) {
	d, err := cuda.Open()
	if err != nil {
		return info, err
	}
	if w.ctx, err = d.NewContext(i); err != nil {
		return info, err
	}
	if w.timer, err = w.ctx.NewTimer(); err != nil {
		return info, err
	}
	if err := w.describe(d, i, &info); err != nil {
		return info, err
	}
	if err := w.pin(info.Major); err != nil {
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

// pin makes the shared memory accessible to the GPU, if the system allows it; otherwise copies go through the driver's
// own memory, which is correct but slower.
func (w *server) pin(capability int) error {
	if w.ctx.Register(w.ch.mem) != nil {
		return nil
	}
	w.pinned = true
	var err error
	for i := range w.copied {
		if w.copied[i], err = w.ctx.NewEvent(false); err != nil {
			return err
		}
	}
	if inProcess() {
		return nil // a profiler would see kernels that are not the user's
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
func (w *server) describe(d *cuda.Driver, i int, info *Info) (err error) {
	info.Index = i
	if info.Name, err = w.ctx.Name(); err != nil {
		return err
	}
	if info.DriverVersion, err = d.Version(); err != nil {
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

// emptyKernel does nothing.
const emptyKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry weft_empty()
{
	ret;
}
`

// calibrate determines, for both ways of timing a single launch, the measured time in excess of that of a launch that
// follows another: the median of single empty launches, minus the time per launch of many back to back. Events measure
// more, our own kernels less, because they are next to the launch on the GPU. It reports whether launches are made
// with answers.
func (w *server) calibrate() (bool, error) {
	info, err := w.load(LoadArgs{PTX: emptyKernel, Entry: "weft_empty"})
	if err != nil {
		return false, err
	}
	const lone, together = 31, 200
	f := w.funcs[info.Number]
	call := LaunchCall{Func: info.Number, Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Repeat: together}
	for range 2 { // the first warms up
		if err := w.launch(&call); err != nil {
			return false, err
		}
	}
	each := call.Seconds / together
	call.Repeat = 1
	median := func(chain *cuda.Chain) (float64, error) {
		f.chain = chain
		times := make([]float64, lone)
		for i := range times {
			if err := w.launch(&call); err != nil {
				return 0, err
			}
			times[i] = call.Seconds
		}
		slices.Sort(times)
		return times[lone/2] - each, nil
	}
	chain := f.chain
	events, err := median(nil)
	if err == nil && chain != nil {
		w.answers.overhead, err = median(chain)
	}
	w.overhead = events
	return chain != nil, err
}

// alloc reserves device memory.
func (w *server) alloc(a AllocArgs) (uint64, error) {
	addr, err := w.ctx.Alloc(max(a.Bytes, 1))
	if err == nil && a.Poison {
		err = w.ctx.Set(addr, poison, a.Bytes)
	}
	return addr, err
}

// load compiles PTX.
func (w *server) load(a LoadArgs) (info FuncInfo, err error) {
	m, err := w.ctx.Load(a.PTX)
	if err != nil {
		return info, err
	}
	fn, err := m.Function(a.Entry)
	if err != nil {
		return info, err
	}
	info.Log = m.Log
	for _, x := range []struct {
		attr cuda.FunctionAttribute
		dst  *int
	}{{cuda.FuncRegisters, &info.Registers}, {cuda.FuncShared, &info.Shared}, {cuda.FuncLocal, &info.Local}, {cuda.FuncMaxThreads, &info.MaxThreads}} {
		if *x.dst, err = fn.Attribute(x.attr); err != nil {
			return info, err
		}
	}
	info.Number = len(w.funcs)
	w.funcs = append(w.funcs, &loaded{module: m, fn: fn, chain: w.answers.chain(fn)})
	return info, nil
}

// one compiles one of our own kernels.
func (w *server) one(text, entry string) (*cuda.Function, error) {
	info, err := w.load(LoadArgs{PTX: text, Entry: entry})
	if err != nil {
		return nil, err
	}
	return w.funcs[info.Number].fn, nil
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
func (w *server) occupancy(a OccupancyArgs) (int, error) {
	f := w.funcs[a.Func]
	if err := f.setShared(a.DynamicShared); err != nil { // above 48 KiB in total, the driver's calculation requires the opt-in first
		return 0, err
	}
	return f.fn.BlocksPerSM(a.Block, a.DynamicShared)
}
