// Package hw runs kernels on a real NVIDIA GPU through the CUDA driver. It uses the same compiled program that the
// simulator executes, printed as PTX. It needs Linux, cgo and NVIDIA's driver, but no CUDA toolkit.
//
// Open returns a Device, which implements device.Device; programs written for the simulator run on it unchanged:
//
//	func main() {
//		d, err := hw.Open("hw", 0, hw.Options{})
//		if hw.IsMissing(err) {
//			...                           // no GPU or no driver
//		}
//		defer d.Close()
//		r, err := d.Launch(ctx, l)        // r.Seconds is the time on the GPU
//	}
//
// OpenGroup returns a Group, several GPUs as one device.Group:
//
//	g, err := hw.OpenGroup(ctx, []int{0, 1}, hw.Options{})
//	ts, err := g.Run(ctx, cmds)              // launches and copies of all GPUs
//
// Options adds checks of bounds and divisors, and a watchdog that reports where the threads of an endless loop are.
//
// The CUDA context lives in a child process, which is this program started again, because an illegal access or a hang
// makes a context unusable. The parent then ends the child, reports the error and continues with a new child. In the
// child, the initialization of this package never returns, so that main functions and tests run only in the parent;
// only packages that are initialized before this one are initialized in both processes.
package hw
