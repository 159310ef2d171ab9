//go:build cgo && linux

package fakecuda

/*
#include <stdlib.h>
#include "fakecuda.h"
*/
import "C"

import (
	"unsafe"

	"github.com/weft-gpu/weft/hw/internal/cuda"
)

// Environment variables that make the driver lack a feature, as on some systems.
const (
	NoPinning = "WEFT_FAKE_NO_PINNING" // host memory cannot be registered
	NoMapping = "WEFT_FAKE_NO_MAPPING" // kernels cannot access registered memory
	NoGraphs  = "WEFT_FAKE_NO_GRAPHS"  // there are no launch graphs
	OldGraphs = "WEFT_FAKE_OLD_GRAPHS" // launch graphs have only one kind of edge
	// CoarseClock makes the GPU's clock advance in steps of one microsecond.
	CoarseClock = "WEFT_FAKE_COARSE_CLOCK"
	NoPeers     = "WEFT_FAKE_NO_PEERS" // GPUs do not reach each other's memory
	PCIe        = "WEFT_FAKE_PCIE"     // they do, but not by atomics
	// GPUs has the number of GPUs, at most 16; 1 if it is not set.
	GPUs = "WEFT_FAKE_GPUS"
)

// Entry points of the available kernels. The first parameter is an address.
const (
	Iota      = "fake_iota"      // writes its index for each thread, 32 bits
	Increment = "fake_increment" // adds 1 to a 32-bit word
	Slow      = "fake_slow"      // takes 30 ms
	Hang      = "fake_hang"      // never ends
	Illegal   = "fake_illegal"   // accesses an illegal address
	Crash     = "fake_crash"     // ends the process that launches it
)

// Install makes this process use the fake driver.
func Install() {
	cuda.Replace(func(name string) unsafe.Pointer {
		s := C.CString(name)
		defer C.free(unsafe.Pointer(s))
		return C.weft_fake_symbol(s)
	})
}
