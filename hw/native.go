package hw

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// This file has what kernels that were read from PTX need: the driver gets the text of their module as it stands, once for
// all its kernels and variables, and the bytes of their parameters.

// native reports whether a kernel was read from PTX.
func native(k *device.Kernel) bool {
	c := ir.Compiled(k)
	return c != nil && c.Source != nil
}

// nativeCode is what a GPU has of modules as they stand.
type nativeCode struct {
	modules   map[string]int // by their text
	functions map[*ir.Kernel]*code
	variables map[*ir.Variable]device.Buffer
	bytes     []byte // of the parameters of the launch that was prepared last
}

func newNativeCode() nativeCode {
	return nativeCode{modules: map[string]int{}, functions: map[*ir.Kernel]*code{}, variables: map[*ir.Variable]device.Buffer{}}
}

// bytesOf returns how many bytes the parameters of a kernel take.
func bytesOf(k *ir.Kernel) int {
	_, size := simt.Offsets(k.Params)
	return size
}

// prepareNative is prepare for a kernel that was read from PTX.
func (d *Device) prepareNative(ctx context.Context, l device.Launch) (*simt.Grid, *code, error) {
	if d.opts.Check {
		return nil, nil, &device.ArgError{Kernel: l.Kernel.Name, What: "a kernel read from PTX runs on a GPU as it stands, without checks of bounds; func and simulated machines have them"}
	}
	g, bytes, err := simt.BindBytes(d.mem, l)
	if err != nil {
		return nil, nil, err
	}
	if err := d.clustered(g); err != nil {
		return nil, nil, err
	}
	if len(d.gpus) > 1 {
		if err := device.CheckAccess(d.group, d.gpu, l); err != nil {
			return nil, nil, err
		}
	}
	if len(bytes) > worker.MaxBytes {
		return nil, nil, &device.ArgError{Kernel: l.Kernel.Name, What: fmt.Sprintf("%d bytes of parameters; a GPU takes %d", len(bytes), worker.MaxBytes)}
	}
	c, err := d.load(ctx, l.Kernel, false, alone)
	if err != nil {
		return nil, nil, err
	}
	if shared := c.info.Shared + l.DynamicShared; shared > d.info.SharedPerBlock {
		return nil, nil, &device.ArgError{Kernel: l.Kernel.Name, What: fmt.Sprintf("a block takes %d bytes of shared memory; the device has %d", shared, d.info.SharedPerBlock)}
	}
	d.native.bytes = bytes
	return g, c, d.admit(g, c)
}

// raw writes the bytes of the parameters to where the child finds them, and returns how many there are.
func (d *Device) raw(call *worker.LaunchCall) int {
	to := call.Inline()
	if len(d.native.bytes) > len(to) {
		to = d.child.Bytes()
	}
	return copy(to, d.native.bytes)
}

// loadNative makes the driver compile a kernel that was read from PTX.
func (d *Device) loadNative(ctx context.Context, k *device.Kernel) (*code, error) {
	compiled := ir.Compiled(k)
	if c := d.native.functions[compiled]; c != nil {
		return c, nil
	}
	defer d.aside(time.Now())
	module, err := d.module(ctx, k.Name, compiled.Source.Text)
	if err != nil {
		return nil, err
	}
	c := &code{room: map[[2]int]int{}}
	args := worker.FunctionArgs{Module: module, Entry: compiled.Source.Entry}
	args.Offsets, _ = simt.Offsets(compiled.Params)
	if err := d.ask(ctx, "build of "+k.Name, worker.OpFunction, args, &c.info); err != nil {
		return nil, err
	}
	d.native.functions[compiled] = c
	return c, nil
}

// newer are instructions that ptxas takes from a version of PTX on, the latest first. clang 19 writes them as they stand in a program, and names an older one at the head of a module. st.async and red.async
// are taken from 8.1 on, which 8.6 contains. Source: PTX ISA, notes of mbarrier.arrive, st.async, red.async and mma.
var newer = []struct {
	version     string
	instruction *regexp.Regexp
}{
	{"8.7", regexp.MustCompile(`mma\.sync\.aligned\.(m16n8k16\.row\.col\.f(16|32)|m16n8k32\.row\.col\.f16)\.e[45]m`)}, // numbers of 8 bits, with sums of 16 bits or half of a row
	{"8.6", regexp.MustCompile(`mbarrier\.arrive(\.expect_tx)?\.relaxed|\b(st|red)\.async\.`)},
	{"8.4", regexp.MustCompile(`mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e[45]m`)},
}

// versionLine is the line of a module that names its version.
var versionLine = regexp.MustCompile(`(?m)^\.version (\d\.\d)$`)

// versioned returns the text of a module with the version of PTX that its instructions need.
func versioned(text string) string {
	at := versionLine.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	for _, n := range newer {
		if text[at[2]:at[3]] < n.version && n.instruction.MatchString(text) {
			return text[:at[2]] + n.version + text[at[3]:]
		}
	}
	return text
}

// module loads a module once.
func (d *Device) module(ctx context.Context, of, text string) (n int, err error) {
	n, ok := d.native.modules[text]
	if ok {
		return n, nil
	}
	if err := d.ask(ctx, "build of "+of, worker.OpModule, versioned(text), &n); err != nil {
		return 0, err
	}
	d.native.modules[text] = n
	return n, nil
}

// Variable implements device.VariableHolder: the memory is that of the module on the GPU, where the driver has put its
// initial value.
func (d *Device) Variable(v *device.Variable) (device.Buffer, error) {
	defer d.calls.Begin().End()
	of, ok := v.Code().(*ir.Variable)
	if !ok || of.Source == nil {
		return device.Buffer{}, fmt.Errorf("variable %s is of no module", v.Name)
	}
	if b, ok := d.native.variables[of]; ok {
		return b, nil
	}
	module, err := d.module(context.Background(), "variable "+v.Name, of.Source.Text)
	if err != nil {
		return device.Buffer{}, err
	}
	var g worker.Global
	if err := d.ask(context.Background(), "variable "+v.Name, worker.OpGlobal, worker.GlobalArgs{Module: module, Name: of.Name}, &g); err != nil {
		return device.Buffer{}, err
	}
	b, err := d.placed(v.Name, int(g.Bytes), g.Addr)
	if err == nil {
		d.native.variables[of] = b
	}
	return b, err
}

// placed makes memory that the GPU has already a buffer.
func (d *Device) placed(name string, bytes int, at uint64) (device.Buffer, error) {
	b, err := d.mem.Alloc(name, device.U8, bytes)
	if err != nil {
		return b, err
	}
	a, _, err := d.mem.Find(b)
	if err == nil {
		d.addr[a.ID], d.frees[a.ID] = at, ofModule
	}
	return b, err
}

// ofModule is how memory of a module is freed: with the module.
func ofModule(uint64) error {
	return errors.New("the memory of a module's variable stays as long as the module")
}

// Address returns the address of a buffer on the GPU, which kernels that were read from PTX see.
func (d *Device) Address(b device.Buffer) (uint64, error) {
	defer d.calls.Begin().End()
	return d.address(b)
}

// ShareFile makes a file of memory of the host, which others map as well, memory of the GPU. It lies at Address of the
// buffer, where others can have it, too. Kernels access it in the host's memory. Free of the buffer undoes it.
func (d *Device) ShareFile(name, path string, bytes int) (device.Buffer, error) {
	defer d.calls.Begin().End()
	var at uint64
	if err := d.ask(context.Background(), "sharing of "+name, worker.OpShare, worker.ShareArgs{Path: path, Bytes: bytes}, &at); err != nil {
		return device.Buffer{}, err
	}
	b, err := d.placed(name, bytes, at)
	if err != nil {
		return b, err
	}
	a, _, err := d.mem.Find(b)
	if err == nil {
		d.frees[a.ID] = func(at uint64) error {
			return d.ask(context.Background(), "end of sharing "+name, worker.OpUnshare, at, nil)
		}
	}
	return b, err
}

// Fill sets all bytes of a buffer to a value.
func (d *Device) Fill(b device.Buffer, value byte) error {
	defer d.calls.Begin().End()
	at, err := d.settled(b)
	if err != nil {
		return err
	}
	return d.ask(context.Background(), "filling "+b.Name, worker.OpFill, worker.FillArgs{Addr: at, Value: value, Bytes: b.Bytes()}, nil)
}

// Printed waits for all kernels, and returns what printf of kernels that were read from PTX has printed since it was called
// last. A kernel that failed takes with it what the driver had not written yet. If this process holds the GPU itself, the
// driver has written to its standard output.
func (d *Device) Printed() (text string, err error) {
	defer d.calls.Begin().End()
	err = d.ask(context.Background(), "output of printf", worker.OpPrinted, 0, &text)
	return text, err
}
