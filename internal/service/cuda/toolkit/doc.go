// Package toolkit builds CUDA programs by clang, without anything of NVIDIA's: it carries the headers that such programs
// include, and the runtime library that they are linked with, which passes their calls to weft.
package toolkit
