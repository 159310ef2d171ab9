//go:build !purego

package vector

import "golang.org/x/sys/cpu"

// Available reports whether the host has the instructions of this package.
var Available = cpu.X86.HasAVX2 && cpu.X86.HasFMA
