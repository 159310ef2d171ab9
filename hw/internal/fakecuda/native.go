//go:build cgo && linux

package fakecuda

/*
#include "fakecuda.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/weft-gpu/weft/internal/tensormap"
)

// Module runs the kernels of a module as its text stands.
type Module interface {
	// Variable returns where a variable is on the GPU; ok is false if there is none of the name.
	Variable(name string) (at uint64, bytes int, ok bool)
	// Function returns the places and sizes of a kernel's parameters, and its static shared memory.
	Function(name string) (offsets, sizes []int, shared int, ok bool)
	// Run runs a kernel. The result is one of the errors below, or 0.
	Run(l Native) Failure
}

// Native is a launch of a kernel of a Module: bytes are those of its parameters.
type Native struct {
	Name        string
	Grid, Block [3]int
	Shared      int    // bytes of dynamic shared memory
	Cluster     [3]int // blocks of a cluster along x, y, z; 0: those that the code has
	Bytes       []byte
}

// Failure is an error of the driver.
type Failure int

// What may become of a kernel.
const (
	NeverEnds      Failure = -1
	IllegalAddress Failure = 700
	Assert         Failure = 710
	Misaligned     Failure = 716
	LaunchFailed   Failure = 719
)

// Load reads a module for a GPU; ErrNotNative means that its kernels are run by name. nil: all are.
var Load func(gpu int, text string) (Module, error)

// ErrNotNative is the error of Load for a text that is none for it.
var ErrNotNative = errors.New("the kernels of this text are run by their names")

var modules []Module

//export weft_fake_load
func weft_fake_load(gpu C.int, text, log *C.char, room C.int) C.int {
	running.Lock()
	defer running.Unlock()
	if Load == nil {
		return 0
	}
	m, err := Load(int(gpu), C.GoString(text))
	switch {
	case errors.Is(err, ErrNotNative):
		return 0
	case err != nil:
		to := unsafe.Slice((*byte)(unsafe.Pointer(log)), int(room))
		to[copy(to[:room-1], err.Error())] = 0
		return -1
	}
	modules = append(modules, m)
	return C.int(len(modules))
}

//export weft_fake_global
func weft_fake_global(module C.int, name *C.char, at, size *C.uint64_t) C.int {
	running.Lock()
	defer running.Unlock()
	where, n, ok := modules[module-1].Variable(C.GoString(name))
	if !ok {
		return 0
	}
	*at, *size = C.uint64_t(where), C.uint64_t(n)
	return 1
}

//export weft_fake_function
func weft_fake_function(module C.int, name *C.char, params *C.int, offsets, sizes *C.uint, most C.int) C.int {
	running.Lock()
	defer running.Unlock()
	at, bytes, _, ok := modules[module-1].Function(C.GoString(name))
	if !ok || len(at) > int(most) {
		return 0
	}
	*params = C.int(len(at))
	to, wide := unsafe.Slice(offsets, int(most)), unsafe.Slice(sizes, int(most))
	for i := range at {
		to[i], wide[i] = C.uint(at[i]), C.uint(bytes[i])
	}
	return 1
}

//export weft_fake_static_shared
func weft_fake_static_shared(module C.int, name *C.char) C.int {
	running.Lock()
	defer running.Unlock()
	_, _, shared, _ := modules[module-1].Function(C.GoString(name))
	return C.int(shared)
}

//export weft_fake_native
func weft_fake_native(module C.int, name *C.char, grid, block, cluster *C.uint, shared C.uint, bytes *C.uchar) C.int {
	running.Lock()
	defer running.Unlock()
	l := Native{Name: C.GoString(name), Shared: int(shared)}
	m := modules[module-1]
	offsets, sizes, _, ok := m.Function(l.Name)
	if !ok {
		fmt.Fprintln(os.Stderr, "the fake driver has lost the kernel", l.Name)
		return C.int(LaunchFailed)
	}
	if n := len(offsets); n > 0 {
		l.Bytes = unsafe.Slice((*byte)(unsafe.Pointer(bytes)), offsets[n-1]+sizes[n-1])
	}
	g, b, c := unsafe.Slice(grid, 3), unsafe.Slice(block, 3), unsafe.Slice(cluster, 3)
	for i := range 3 {
		l.Grid[i], l.Block[i], l.Cluster[i] = int(g[i]), int(b[i]), int(c[i])
	}
	return C.int(m.Run(l))
}

//export weft_fake_encode
func weft_fake_encode(to *C.uchar, address C.uint64_t, dims, bytes C.int, sizes, pitches *C.uint64_t, box *C.uint, swizzle C.int) {
	m := tensormap.New(int(dims), uint64(bytes))
	for d := range m.Dims {
		m.Sizes[d], m.Box[d] = uint64(unsafe.Slice(sizes, m.Dims)[d]), uint64(unsafe.Slice(box, m.Dims)[d])
		if d > 0 {
			m.Pitches[d] = uint64(unsafe.Slice(pitches, m.Dims)[d-1]) / m.Elem
		}
	}
	if swizzle > 0 {
		m.Swizzle = 16 << swizzle
	}
	encoded := m.Encode(uint64(address))
	copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), len(encoded)), encoded[:])
}

// Alloc returns memory of a GPU.
func Alloc(gpu, bytes int) uint64 { return uint64(C.fake_alloc(C.int(gpu), C.uint64_t(bytes))) }

// Heap returns the address from which on the memory of a GPU lies, within HeapBytes of which only that is mapped.
func Heap(gpu int) uint64 { return uint64(gpu+1) << 40 }

// HeapBytes is the size of the addresses among which the memory of a GPU lies.
const HeapBytes = 1<<40 - 1
