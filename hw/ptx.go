package hw

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/ptx"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/ir"
)

// PTXOptions configures PTX.
type PTXOptions struct {
	// Target is the architecture, such as "sm_90"; "" is sm_70, the oldest one.
	Target string
	// Check adds checks of bounds, alignment and integer divisors.
	Check bool
	// Watchdog adds a look at the clock to every loop, so that a kernel that runs too
	// long can end itself.
	Watchdog bool
	// ReadOnlyPath lets loads from buffers that the kernel only reads take the
	// read-only path, and merges and hoists them, as a Device does if no such buffer
	// overlaps one that the launch may write. It only does the first with Check or Watchdog.
	ReadOnlyPath bool
}

// PTX returns a kernel in PTX, NVIDIA's virtual instruction set, as one module. It
// needs neither a GPU nor CUDA.
func PTX(k *device.Kernel, o PTXOptions) (string, error) {
	if !KnownTarget(o.Target) {
		return "", fmt.Errorf("%q is no architecture that PTX is printed for; write sm_70 or later, such as sm_90", o.Target)
	}
	c := ir.Compiled(k)
	if c == nil {
		return "", fmt.Errorf("the kernel was not compiled by weft, so there is no PTX of it")
	}
	return ptx.Module(ptx.Options{Target: o.Target, Check: o.Check, Watchdog: o.Watchdog, NonCoherent: o.ReadOnlyPath}, c)
}

// KnownTarget reports whether PTX prints for an architecture: "sm_70" and
// later, and "".
func KnownTarget(target string) bool { return target == "" || ptx.KnownTarget(target) }

// InProcess returns the setting of the environment that keeps the CUDA context in the
// process of the program: "WEFT_HW_IN_PROCESS=1". Profilers and checkers that
// follow a program into its children by way of the C library (ncu,
// compute-sanitizer) do not follow a Go program, so they need it.
func InProcess() string { return worker.InProcess + "=1" }
