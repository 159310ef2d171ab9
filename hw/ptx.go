package hw

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
)

// PTXOptions configures the function PTX.
type PTXOptions struct {
	// Target is the architecture, such as "sm_90"; "" means sm_70, the oldest one.
	Target string
	// Check adds checks of bounds, alignment and integer divisors.
	Check bool
	// Watchdog adds a clock check to every loop, so that a kernel that runs too long ends itself.
	Watchdog bool
	// ReadOnlyPath makes loads from buffers that the kernel only reads use the read-only path, and merges and hoists
	// them, as a Device does if no such buffer overlaps one that the launch may write. With Check or Watchdog, loads
	// are neither merged nor hoisted.
	ReadOnlyPath bool
}

// PTX returns a kernel as a module in PTX, NVIDIA's virtual instruction set. It needs neither a GPU nor CUDA.
func PTX(k *device.Kernel, o PTXOptions) (string, error) {
	if !KnownTarget(o.Target) {
		return "", fmt.Errorf("%q is not a supported architecture; write sm_70 or later, such as sm_90", o.Target)
	}
	c := ir.Compiled(k)
	if c == nil {
		return "", fmt.Errorf("the kernel was not compiled by weft, so there is no PTX of it")
	}
	if c.Source != nil {
		if o.Check || o.Watchdog || o.ReadOnlyPath {
			return "", fmt.Errorf("kernel %s was read from PTX, which is printed as it stands: without checks and options", k.Name)
		}
		return c.Source.Text, nil
	}
	return ptx.Module(ptx.Options{Target: o.Target, Check: o.Check, Watchdog: o.Watchdog, NonCoherent: o.ReadOnlyPath}, c)
}

// KnownTarget reports whether PTX supports an architecture: "sm_70" and later, and "".
func KnownTarget(target string) bool { return target == "" || ptx.KnownTarget(target) }

// InProcess returns the environment setting that makes the program itself hold the CUDA context instead of a child
// process: "WEFT_HW_IN_PROCESS=1". Profilers and checkers that follow a program into its children by intercepting the C
// library (ncu, compute-sanitizer) need it, because they do not follow a Go program.
func InProcess() string { return worker.InProcess + "=1" }
