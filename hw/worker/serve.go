//go:build cgo && linux

package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/weft-gpu/weft/hw/cuda"
	"github.com/weft-gpu/weft/hw/ptx"
)

// poison fills new device memory, so that a read of what nobody wrote shows.
const poison = 0xA5

// leaveWithParent ends a child whose parent is gone: one that waits for a
// hanging GPU would not notice that its input was closed.
func leaveWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	os.Exit(0)
}

// Serve answers calls until the parent closes the pipe. All calls of the
// driver come from one thread, where the context is current.
func Serve(r io.Reader, w io.Writer) {
	runtime.LockOSThread()
	s := rpc.NewServer()
	wk := &Worker{funcs: map[string]*loaded{}}
	if err := s.RegisterName("W", wk); err != nil {
		fmt.Fprintln(os.Stderr, "weft: hardware child:", err)
		os.Exit(1)
	}
	codec := newCodec(r, w)
	for s.ServeRequest(codec) == nil {
	}
}

type loaded struct {
	module *cuda.Module
	fn     *cuda.Function
}

// Worker is the child's side of the calls.
type Worker struct {
	ctx        *cuda.Context
	start, end *cuda.Event
	overhead   float64 // see eventOverhead; 0 until it is known
	funcs      map[string]*loaded
}

// fail packs an error for the reply.
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

// Open makes the context of GPU i and tells about it.
func (w *Worker) Open(i int, reply *OpenReply) error {
	reply.Err = fail(w.open(i, &reply.Info))
	return nil
}

func (w *Worker) open(i int, info *Info) error {
	d, err := cuda.Open()
	if err != nil {
		return err
	}
	if w.ctx, err = d.NewContext(i); err != nil {
		return err
	}
	if w.start, err = w.ctx.NewEvent(); err != nil {
		return err
	}
	if w.end, err = w.ctx.NewEvent(); err != nil {
		return err
	}
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
	if os.Getenv(InProcess) != "" {
		return nil // whoever looks into the process does not want to see these launches, nor to wait for them
	}
	w.overhead, err = w.eventOverhead()
	info.EventOverhead = w.overhead
	return err
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

// eventOverhead is what two events around a lone launch measure beyond the
// time of a launch that follows another: the median of lone empty launches,
// less the time each of many back to back.
func (w *Worker) eventOverhead() (float64, error) {
	if err := w.load(LoadArgs{Key: emptyKernel, PTX: emptyKernel, Entry: "weft_empty"}, &FuncInfo{}); err != nil {
		return 0, err
	}
	const lone, together = 31, 200
	args := LaunchArgs{Key: emptyKernel, Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Repeat: together}
	var reply LaunchReply
	for range 2 { // the first warms up
		if err := w.launch(args, &reply); err != nil {
			return 0, err
		}
	}
	each := reply.Seconds / together
	args.Repeat = 1
	times := make([]float64, lone)
	for i := range times {
		if err := w.launch(args, &reply); err != nil {
			return 0, err
		}
		times[i] = reply.Seconds
	}
	slices.Sort(times)
	return max(times[lone/2]-each, 0), nil
}

// Alloc reserves device memory.
func (w *Worker) Alloc(a AllocArgs, reply *AddrReply) error {
	addr, err := w.ctx.Alloc(max(a.Bytes, 1))
	if err == nil && a.Poison {
		err = w.ctx.Set(addr, poison, a.Bytes)
	}
	reply.Addr, reply.Err = addr, fail(err)
	return nil
}

// Free gives device memory back.
func (w *Worker) Free(addr uint64, reply *PlainReply) error {
	reply.Err = fail(w.ctx.Free(addr))
	return nil
}

// Write copies to the device.
func (w *Worker) Write(a WriteArgs, reply *PlainReply) error {
	reply.Err = fail(w.ctx.Write(a.Addr, a.Data))
	return nil
}

// Read copies from the device.
func (w *Worker) Read(a ReadArgs, reply *ReadReply) error {
	reply.Data = make([]byte, a.Bytes)
	reply.Err = fail(w.ctx.Read(a.Addr, reply.Data))
	return nil
}

// Load compiles PTX once a key.
func (w *Worker) Load(a LoadArgs, reply *LoadReply) error {
	reply.Err = fail(w.load(a, &reply.Func))
	return nil
}

func (w *Worker) load(a LoadArgs, info *FuncInfo) error {
	m, err := w.ctx.Load(a.PTX)
	if err != nil {
		return err
	}
	fn, err := m.Function(a.Entry)
	if err != nil {
		return err
	}
	info.Log = m.Log
	for _, x := range []struct {
		attr cuda.FunctionAttribute
		dst  *int
	}{{cuda.FuncRegisters, &info.Registers}, {cuda.FuncShared, &info.Shared}, {cuda.FuncLocal, &info.Local}, {cuda.FuncMaxThreads, &info.MaxThreads}} {
		if *x.dst, err = fn.Attribute(x.attr); err != nil {
			return err
		}
	}
	w.funcs[a.Key] = &loaded{m, fn}
	return nil
}

// Launch runs a kernel to its end.
func (w *Worker) Launch(a LaunchArgs, reply *LaunchReply) error {
	reply.Err = fail(w.launch(a, reply))
	return nil
}

func (w *Worker) launch(a LaunchArgs, reply *LaunchReply) error {
	f := w.funcs[a.Key]
	if a.Checked {
		if err := w.arm(f, a.DeadlineNS); err != nil {
			return err
		}
	}
	if a.DynamicShared > 0 {
		if err := f.fn.SetDynamicShared(a.DynamicShared); err != nil {
			return err
		}
	}
	if err := w.start.Record(); err != nil {
		return err
	}
	for range max(a.Repeat, 1) {
		if err := f.fn.Launch(a.Grid, a.Block, a.DynamicShared, a.Cooperative, a.Params); err != nil {
			return err
		}
	}
	if err := w.end.Record(); err != nil {
		return err
	}
	if err := w.end.Wait(); err != nil {
		return err
	}
	var err error
	if reply.Seconds, err = w.end.Since(w.start); err != nil {
		return err
	}
	// What is left of an empty launch is noise around the launch's own time.
	reply.Seconds = max(reply.Seconds-w.overhead, reply.Seconds/8)
	if a.Checked {
		reply.Fault, err = w.fault(f)
	}
	return err
}

// arm clears the fault record and sets the watchdog's deadline.
func (w *Worker) arm(f *loaded, deadline uint64) error {
	addr, size, err := f.module.Global(ptx.FaultVar)
	if err != nil {
		return err
	}
	if err := w.ctx.Write(addr, make([]byte, size)); err != nil {
		return err
	}
	if deadline == 0 {
		return nil
	}
	now, err := w.timer()
	if err != nil {
		return err
	}
	if addr, _, err = f.module.Global(ptx.DeadlineVar); err != nil {
		return err
	}
	return w.ctx.Write(addr, binary.LittleEndian.AppendUint64(nil, now+deadline))
}

// timerKernel stores %globaltimer, whose zero is the GPU's own.
const timerKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry weft_timer(.param .u64 p0)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p0];
	mov.u64 %rd2, %globaltimer;
	st.global.u64 [%rd1], %rd2;
	ret;
}
`

// timer is the GPU's %globaltimer now.
func (w *Worker) timer() (uint64, error) {
	if w.funcs[timerKernel] == nil {
		if err := w.load(LoadArgs{Key: timerKernel, PTX: timerKernel, Entry: "weft_timer"}, &FuncInfo{}); err != nil {
			return 0, err
		}
	}
	addr, err := w.ctx.Alloc(8)
	if err != nil {
		return 0, err
	}
	defer w.ctx.Free(addr)
	if err := w.funcs[timerKernel].fn.Launch([3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, false, []uint64{addr}); err != nil {
		return 0, err
	}
	var b [8]byte
	err = w.ctx.Read(addr, b[:])
	return binary.LittleEndian.Uint64(b[:]), err
}

// fault is the fault record, nil where nothing was recorded.
func (w *Worker) fault(f *loaded) ([]uint64, error) {
	addr, size, err := f.module.Global(ptx.FaultVar)
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	if err := w.ctx.Read(addr, b); err != nil {
		return nil, err
	}
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	if words[0] == 0 {
		return nil, nil
	}
	return words, nil
}

// Occupancy asks the driver how many blocks fit an SM.
func (w *Worker) Occupancy(a OccupancyArgs, reply *IntReply) error {
	fn := w.funcs[a.Key].fn
	var err error
	if a.DynamicShared > 0 { // past 48 KiB in all, the driver counts for those who asked first
		err = fn.SetDynamicShared(a.DynamicShared)
	}
	if err == nil {
		reply.N, err = fn.BlocksPerSM(a.Block, a.DynamicShared)
	}
	reply.Err = fail(err)
	return nil
}
