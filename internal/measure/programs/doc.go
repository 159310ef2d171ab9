// Package programs compares what runs of CUDA programs on two devices took: kernel by kernel, as "weft cuda run --out" wrote it.
package programs
