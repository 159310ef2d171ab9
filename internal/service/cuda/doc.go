// Package cuda runs whole CUDA programs. A program is a process of its own, with its memory and its output; the runtime
// library that it is linked with (package toolkit) sends its CUDA calls over a socket, and this package answers them with a
// device of weft: it holds the memory, loads the PTX, queues launches and copies by stream, and keeps the time.
package cuda
