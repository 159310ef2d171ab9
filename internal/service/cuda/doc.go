// Package cuda has what CUDA programs need: its folder toolkit builds them.
package cuda
