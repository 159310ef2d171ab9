// Package device defines a GPU as a host program sees it: memory, launches and reports. The
// functional executor, the simulator and real hardware implement [Device]; the contract
// test in package devicetest checks that they behave alike.
//
// Most programs use package weft, the root of this module, which opens devices by name and
// adds typed buffers; its Launch and Report are the types of this package. Host loops and
// tools that work on every device use this package directly:
//
//	x, err := dev.Alloc("x", device.F32, 1024)  // a Buffer of 1,024 float32
//	err = dev.Write(x, host)                    // host is a []float32
//	k, err := pkg.Kernel(ctx, "Scale", nil)
//	rep, err := dev.Launch(ctx, device.Launch{Kernel: k, Grid: 4, Block: 256, Args: []any{x, float32(2)}})
//	err = dev.Read(x, host)
//
// A [Launch] has the kernel, the grid and the arguments: a [Buffer] for each slice or
// pointer, and a Go value for each scalar. A [Report] has the time and the counters of a
// launch. [Capabilities] says what else a device can do.
//
// A launch can fail in these ways: [*ArgError] if it does not fit the kernel or the device,
// [*Fault] if a thread did something invalid, [*HangError] if the kernel can be shown never
// to end, and [*UndecidedError] if a budget ended it.
package device
