//go:build !amd64 || purego

package simt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// Without vector instructions, all is plain Go.
const vectors = false

func vectorized(f ALUOp, _ ir.Op, _, _ ir.Kind) ALUOp { return f }

func vectorSelect(*Row, uint32, *Row, *Row)                {}
func vectorMerge(*Row, *Row, uint32)                       {}
func vectorAdd(*Row, *Row, uint64, uint32)                 {}
func vectorLine32(*Row, *[128]byte, *[Lanes]uint8)         {}
func vectorLoad32(*Row, *Row, window, uint64, uint32) bool { return false }
func vectorLoad64(*Row, *Row, window, uint64, uint32) bool { return false }
