// Package cuda binds the CUDA driver API. It opens libcuda.so.1 at run time, so that programs build and start on
// machines without CUDA or a GPU.
//
// A Context is bound to one operating system thread: use it from one goroutine that has called runtime.LockOSThread.
package cuda
