//go:build cgo && linux

package cuda

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include "config.h"

typedef int (*fn)(word, word, word, word, word, word, word, word, word, word, word, word);

// All driver functions take only integers and pointers, so that one call with spare arguments works for all of them on
// the 64-bit ABIs of Linux.
static int weft_call(void *f, word *a) {
	return ((fn)f)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
}
static int weft_copy(void *f, word a, void *host, word n, int to_device) {
	return to_device ? ((int (*)(word, void *, word))f)(a, host, n) : ((int (*)(void *, word, word))f)(host, a, n);
}
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// maxArgs is the largest number of arguments of a driver function.
const maxArgs = 12

// Driver is the opened library.
type Driver struct {
	lib     unsafe.Pointer
	symbols map[string]unsafe.Pointer
	args    *[maxArgs]C.word // C memory
	out     *[outWords]uint64
}

// replaced finds replacements of the library's functions in tests.
var replaced func(name string) unsafe.Pointer

// Replace replaces the driver's functions by others that need no GPU, for tests. It affects later calls of Open.
func Replace(find func(name string) unsafe.Pointer) { replaced = find }

// Open loads the driver and initializes it.
func Open() (*Driver, error) {
	d := &Driver{symbols: map[string]unsafe.Pointer{}}
	if replaced == nil {
		name := C.CString("libcuda.so.1")
		defer C.free(unsafe.Pointer(name))
		if d.lib = C.dlopen(name, C.RTLD_NOW|C.RTLD_GLOBAL); d.lib == nil {
			return nil, &Missing{What: fmt.Sprintf("no CUDA driver (%s)", C.GoString(C.dlerror()))}
		}
	}
	d.args = (*[maxArgs]C.word)(C.calloc(maxArgs, 8))
	d.out = (*[outWords]uint64)(C.calloc(outWords, 8))
	if err := d.call("cuInit"); err != nil {
		return nil, &Missing{What: fmt.Sprintf("the CUDA driver finds no usable GPU (%v)", err)}
	}
	return d, nil
}

// call calls a driver function; an error contains its name.
func (d *Driver) call(name string, args ...uint64) error {
	code, err := d.code(name, args...)
	if err != nil {
		return err
	}
	return d.result(name, code)
}

// code is call without the texts of an error.
func (d *Driver) code(name string, args ...uint64) (C.int, error) {
	f, err := d.symbol(name)
	if err != nil {
		return 0, err
	}
	for i := range d.args {
		d.args[i] = 0
		if i < len(args) {
			d.args[i] = C.word(args[i])
		}
	}
	return C.weft_call(f, &d.args[0]), nil
}

// symbol returns the address of a driver function.
func (d *Driver) symbol(name string) (unsafe.Pointer, error) {
	if f := d.symbols[name]; f != nil {
		return f, nil
	}
	var f unsafe.Pointer
	if replaced != nil {
		f = replaced(name)
	} else {
		s := C.CString(name)
		defer C.free(unsafe.Pointer(s))
		f = C.dlsym(d.lib, s)
	}
	if f == nil {
		return nil, &Missing{What: fmt.Sprintf("the CUDA driver is too old: it has no %s", name)}
	}
	d.symbols[name] = f
	return f, nil
}

func (d *Driver) result(call string, code C.int) error {
	if code == 0 {
		return nil
	}
	e := &Error{Call: call, Code: int(code)}
	if call != "cuGetErrorName" && call != "cuGetErrorString" {
		e.Name = d.text("cuGetErrorName", code)
		e.Text = d.text("cuGetErrorString", code)
	}
	return e
}

func (d *Driver) text(call string, code C.int) string {
	d.out[511] = 0
	if d.call(call, uint64(code), d.addr(511)) != nil || d.out[511] == 0 {
		return ""
	}
	return C.GoString(*(**C.char)(unsafe.Pointer(&d.out[511])))
}

// addr returns the address of word i of out.
func (d *Driver) addr(i int) uint64 { return uint64(uintptr(unsafe.Pointer(&d.out[i]))) }

// get calls a function whose first argument is the address for a single result.
func (d *Driver) get(name string, args ...uint64) (uint64, error) {
	d.out[0] = 0
	err := d.call(name, append([]uint64{d.addr(0)}, args...)...)
	return d.out[0], err
}

// Version returns the CUDA version of the driver, 1000*major + 10*minor.
func (d *Driver) Version() (int, error) {
	v, err := d.get("cuDriverGetVersion")
	return int(v), err
}

// Devices returns the number of GPUs.
func (d *Driver) Devices() (int, error) {
	n, err := d.get("cuDeviceGetCount")
	return int(n), err
}

// Context is the primary context of a GPU, current on the calling thread.
type Context struct {
	*Driver
	Device int
	handle uint64
}

// NewContext makes the primary context of GPU i current.
func (d *Driver) NewContext(i int) (*Context, error) {
	n, err := d.Devices()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= n {
		return nil, &Missing{What: fmt.Sprintf("no GPU %d: this machine has %d, numbered from 0", i, n)}
	}
	h, err := d.get("cuDevicePrimaryCtxRetain", uint64(i))
	if err != nil {
		return nil, err
	}
	return &Context{Driver: d, Device: i, handle: h}, d.call("cuCtxSetCurrent", h)
}

// Name returns the GPU's name.
func (c *Context) Name() (string, error) {
	if err := c.call("cuDeviceGetName", c.addr(0), 256, uint64(c.Device)); err != nil {
		return "", err
	}
	return C.GoString((*C.char)(unsafe.Pointer(&c.out[0]))), nil
}

// Attribute returns a CUdevice_attribute.
func (c *Context) Attribute(a DeviceAttribute) (int, error) {
	v, err := c.get("cuDeviceGetAttribute", uint64(a), uint64(c.Device))
	return int(int32(v)), err
}

// Memory returns the free and total device memory in bytes.
func (c *Context) Memory() (free, total uint64, err error) {
	err = c.call("cuMemGetInfo_v2", c.addr(0), c.addr(1))
	return c.out[0], c.out[1], err
}

// Alloc reserves n bytes.
func (c *Context) Alloc(n int) (uint64, error) { return c.get("cuMemAlloc_v2", uint64(n)) }

// Free frees memory.
func (c *Context) Free(addr uint64) error { return c.call("cuMemFree_v2", addr) }

// Set fills n bytes at addr with value.
func (c *Context) Set(addr uint64, value byte, n int) error {
	return c.call("cuMemsetD8_v2", addr, uint64(value), uint64(n))
}

// Write copies data to addr.
func (c *Context) Write(addr uint64, data []byte) error {
	return c.copy("cuMemcpyHtoD_v2", addr, data, 1)
}

// Read copies from addr to data.
func (c *Context) Read(addr uint64, data []byte) error {
	return c.copy("cuMemcpyDtoH_v2", addr, data, 0)
}

func (c *Context) copy(name string, addr uint64, data []byte, toDevice C.int) error {
	if len(data) == 0 {
		return nil
	}
	f, err := c.symbol(name)
	if err != nil {
		return err
	}
	return c.result(name, C.weft_copy(f, C.word(addr), unsafe.Pointer(&data[0]), C.word(len(data)), toDevice))
}

// Register pins host memory, so that the GPU can copy to and from it by itself and its kernels can access it.
func (c *Context) Register(host []byte) error {
	const portable, deviceMap = 1, 2
	return c.call("cuMemHostRegister_v2", hostAddr(host), uint64(len(host)), portable|deviceMap)
}

// Mapped returns the address by which kernels access registered memory.
func (c *Context) Mapped(host []byte) (uint64, error) {
	return c.get("cuMemHostGetDevicePointer_v2", hostAddr(host), 0)
}

// hostAddr returns the address of memory that Go does not move: memory mapped directly.
func hostAddr(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// StartWrite starts a copy of registered memory to addr.
func (c *Context) StartWrite(addr uint64, registered []byte) error {
	return c.call("cuMemcpyHtoDAsync_v2", addr, hostAddr(registered), uint64(len(registered)), 0)
}

// StartCopy starts copying n bytes from src to dst on the GPU.
func (c *Context) StartCopy(dst, src uint64, n int) error {
	return c.call("cuMemcpyDtoDAsync_v2", dst, src, uint64(n), 0)
}

// StartRead starts a copy from addr to registered memory.
func (c *Context) StartRead(addr uint64, registered []byte) error {
	return c.call("cuMemcpyDtoHAsync_v2", hostAddr(registered), addr, uint64(len(registered)), 0)
}

// StartClear starts setting words at addr to zero.
func (c *Context) StartClear(addr uint64, words int) error {
	return c.call("cuMemsetD32Async", addr, 0, uint64(words), 0)
}

// Module is a loaded module.
type Module struct {
	c      *Context
	handle uint64
	// Log is the output of the JIT compiler (registers, spills).
	Log string
}

// Load compiles PTX. An error contains the compiler's log.
func (c *Context) Load(ptx string) (*Module, error) {
	const logSize = 1 << 16
	src := C.CString(ptx)
	info, errs := (*C.char)(C.calloc(1, logSize)), (*C.char)(C.calloc(1, logSize))
	defer C.free(unsafe.Pointer(src))
	defer C.free(unsafe.Pointer(info))
	defer C.free(unsafe.Pointer(errs))
	ptr := func(p *C.char) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }
	// CU_JIT_INFO_LOG_BUFFER, _SIZE, CU_JIT_ERROR_LOG_BUFFER, _SIZE, CU_JIT_LOG_VERBOSE
	opts := (*[5]int32)(unsafe.Pointer(&c.out[64]))
	*opts = [5]int32{3, 4, 5, 6, 12}
	c.out[80], c.out[81], c.out[82], c.out[83], c.out[84] = ptr(info), logSize, ptr(errs), logSize, 1
	h, err := c.get("cuModuleLoadDataEx", ptr(src), 5, c.addr(64), c.addr(80))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, strings.TrimSpace(C.GoString(errs)))
	}
	return &Module{c: c, handle: h, Log: C.GoString(info)}, nil
}

// Global returns the address and size of a module variable.
func (m *Module) Global(name string) (addr, size uint64, err error) {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	err = m.c.call("cuModuleGetGlobal_v2", m.c.addr(0), m.c.addr(1), m.handle, uint64(uintptr(unsafe.Pointer(s))))
	return m.c.out[0], m.c.out[1], err
}

// Function is an entry point.
type Function struct {
	c      *Context
	handle uint64
}

// The indices in driver.out of the parameters of a launch, and of the pointers to them, and its length.
const (
	firstParam   = 128
	firstPointer = firstParam + MaxParams
	outWords     = firstPointer + MaxParams
)

// Function returns an entry point by name.
func (m *Module) Function(name string) (*Function, error) {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	h, err := m.c.get("cuModuleGetFunction", m.handle, uint64(uintptr(unsafe.Pointer(s))))
	return &Function{m.c, h}, err
}

// Attribute returns a CUfunction_attribute.
func (f *Function) Attribute(a FunctionAttribute) (int, error) {
	v, err := f.c.get("cuFuncGetAttribute", uint64(a), f.handle)
	return int(int32(v)), err
}

// SetDynamicShared allows n bytes of dynamic shared memory per block.
func (f *Function) SetDynamicShared(n int) error {
	return f.c.call("cuFuncSetAttribute", f.handle, 8, uint64(n))
}

// PortableCluster is how many blocks a cluster may have on all GPUs that have clusters.
const PortableCluster = 8

// AllowWideClusters allows clusters of more than PortableCluster blocks (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
func (f *Function) AllowWideClusters() error {
	return f.c.call("cuFuncSetAttribute", f.handle, 14, 1)
}

// BlocksPerSM returns how many blocks fit on an SM.
func (f *Function) BlocksPerSM(block, dynamicShared int) (int, error) {
	n, err := f.c.get("cuOccupancyMaxActiveBlocksPerMultiprocessor", f.handle, uint64(block), uint64(dynamicShared))
	return int(int32(n)), err
}

// Launch starts the function on the default stream; grid and block are the sizes along x, y and z. params are the
// parameter values, one word each (little endian: a 32-bit parameter reads the low half).
func (f *Function) Launch(grid, block [3]int, dynamicShared int, cooperative bool, params []uint64) error {
	return (&Launch{Function: f, Grid: grid, Block: block, DynamicShared: dynamicShared, Params: params}).start(0, cooperative)
}

// start adds the launch to a stream. Its parameters are copied before start returns.
func (a *Launch) start(stream uint64, cooperative bool) error {
	if err := a.check(); err != nil {
		return err
	}
	c := a.Function.c
	at := c.addr(firstPointer)
	if len(a.Offsets) > 0 {
		bytes := C.CBytes(a.Bytes)
		defer C.free(bytes)
		list := (*[MaxParts]uint64)(C.calloc(MaxParts, 8))
		defer C.free(unsafe.Pointer(list))
		for i, off := range a.Offsets {
			list[i] = uint64(uintptr(bytes)) + uint64(off)
		}
		at = uint64(uintptr(unsafe.Pointer(list)))
	}
	for i, v := range a.Params {
		c.out[firstParam+i] = v
		c.out[firstPointer+i] = c.addr(firstParam + i)
	}
	args := []uint64{a.Function.handle, uint64(a.Grid[0]), uint64(a.Grid[1]), uint64(a.Grid[2]), uint64(a.Block[0]), uint64(a.Block[1]), uint64(a.Block[2]),
		uint64(a.DynamicShared), stream, at, 0}
	if a.Clustered() {
		config := a.config(C.int(truth(cooperative)))
		defer C.free(unsafe.Pointer(config))
		for i := range 3 {
			config.grid[i], config.block[i] = C.unsigned(a.Grid[i]), C.unsigned(a.Block[i])
		}
		config.shared, config.stream = C.unsigned(a.DynamicShared), C.word(stream)
		return c.call("cuLaunchKernelEx", uint64(uintptr(unsafe.Pointer(config))), a.Function.handle, at, 0)
	}
	if cooperative {
		return c.call("cuLaunchCooperativeKernel", args[:10]...)
	}
	return c.call("cuLaunchKernel", args...)
}

// truth is a condition as C has it.
func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Synchronize waits for all work of the context.
func (c *Context) Synchronize() error { return c.call("cuCtxSynchronize") }

// Event marks a point in the default stream.
type Event struct {
	c      *Context
	handle uint64
}

// NewEvent creates an event; an event without timing is faster.
func (c *Context) NewEvent(times bool) (*Event, error) {
	const disableTiming = 2
	flags := uint64(disableTiming)
	if times {
		flags = 0
	}
	h, err := c.get("cuEventCreate", flags)
	return &Event{c, h}, err
}

// Record adds the event to the default stream.
func (e *Event) Record() error { return e.c.call("cuEventRecord", e.handle, 0) }

// Wait waits until the event has been reached.
func (e *Event) Wait() error { return e.c.call("cuEventSynchronize", e.handle) }

// Close frees the event.
func (e *Event) Close() error { return e.c.call("cuEventDestroy_v2", e.handle) }
