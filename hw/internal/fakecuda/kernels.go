//go:build cgo && linux

package fakecuda

/*
#include "fakecuda.h"
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// Launch is a launch of a kernel that is none of the driver's. Values are those of its parameters, one word each, and
// some more.
type Launch struct {
	GPU         int
	Name        string // of the entry point
	Grid, Block [3]int
	Shared      int // bytes of dynamic shared memory
	Values      []uint64
}

// The results of a kernel.
const (
	Ended = iota
	Failed
	Hung
)

// Run runs the kernels that are none of the driver's; nil: there are none. Launches come one at a time.
var Run func(Launch) (result int, err error)

var running sync.Mutex

//export weft_fake_kernel
func weft_fake_kernel(gpu C.int, name *C.char, grid, block *C.uint, shared C.uint, values *C.uint64_t, n C.int) C.int {
	l := Launch{GPU: int(gpu), Name: C.GoString(name), Shared: int(shared), Values: unsafe.Slice((*uint64)(values), int(n))}
	g, b := unsafe.Slice(grid, 3), unsafe.Slice(block, 3)
	for i := range 3 {
		l.Grid[i], l.Block[i] = int(g[i]), int(b[i])
	}
	running.Lock()
	defer running.Unlock()
	if Run == nil {
		fmt.Fprintln(os.Stderr, "the fake driver has no kernel", l.Name)
		return Failed
	}
	result, err := Run(l)
	if err != nil {
		fmt.Fprintf(os.Stderr, "the fake driver: %s: %v\n", l.Name, err)
		return Failed
	}
	return C.int(result)
}

// Memory returns the allocation that an address of GPU memory is in, and the offset in it; nil if there is none.
func Memory(addr uint64) (data []byte, offset int) {
	var n C.uint64_t
	start := C.fake_allocation(C.uint64_t(addr), &n)
	if start == nil {
		return nil, 0
	}
	return unsafe.Slice((*byte)(start), int(n)), int(addr - uint64(uintptr(start)))
}

// Reaches reports whether kernels of a GPU may access an address.
func Reaches(gpu int, addr uint64) bool { return C.fake_reaches(C.int(gpu), C.uint64_t(addr)) != 0 }
