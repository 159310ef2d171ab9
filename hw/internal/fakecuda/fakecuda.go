//go:build cgo && linux

// Package fakecuda is a CUDA driver without a GPU, for tests of what lies between
// a program and the driver: its memory is the host's, and its kernels are those
// that Kernels lists.
package fakecuda

/*
#include <stdlib.h>
#include "fakecuda.h"
*/
import "C"

import (
	"unsafe"

	"github.com/weft-gpu/weft/hw/cuda"
)

// Variables that make the driver refuse what some systems do.
const (
	NoPinning = "WEFT_FAKE_NO_PINNING" // host memory cannot be registered
	NoMapping = "WEFT_FAKE_NO_MAPPING" // kernels cannot use registered memory
	NoGraphs  = "WEFT_FAKE_NO_GRAPHS"  // there are no graphs of launches
	OldGraphs = "WEFT_FAKE_OLD_GRAPHS" // their edges are of one kind
	// CoarseClock has the GPU's clock take steps of a microsecond.
	CoarseClock = "WEFT_FAKE_COARSE_CLOCK"
)

// Entry points of the kernels there are. The first parameter is an address.
const (
	Iota      = "fake_iota"      // writes its index for each thread, 32 bits
	Increment = "fake_increment" // adds 1 to a 32-bit word
	Slow      = "fake_slow"      // takes 30 ms
	Hang      = "fake_hang"      // never ends
	Illegal   = "fake_illegal"   // accesses an illegal address
	Crash     = "fake_crash"     // ends the process that launches it
)

// Install has this process use the driver.
func Install() {
	cuda.Replace(func(name string) unsafe.Pointer {
		s := C.CString(name)
		defer C.free(unsafe.Pointer(s))
		return C.weft_fake_symbol(s)
	})
}
