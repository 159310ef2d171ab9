//go:build !amd64 || purego

package simt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// Without vector instructions, all is plain Go.
var vectors = false

func vectorized(f ALUOp, _ ir.Op, _, _ ir.Kind) ALUOp { return f }

func vectorSelect(*Row, uint32, *Row, *Row) {}
func vectorMerge(*Row, *Row, uint32)        {}
func vectorAdd(*Row, *Row, uint64, uint32)  {}
