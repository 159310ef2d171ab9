package sim

import (
	"github.com/weft-gpu/weft/internal/mma"
	"github.com/weft-gpu/weft/sim/config"
)

// least is for how many cycles any product keeps the tensor core of its sub-core at least: measured on an H100, for m8n8k128 of bits and all
// shapes of half of k (results/hw/asynchronous).
const least = 4

// fewerRows is how many cycles sooner than that of 16 rows the result of a product of 8 rows is there, on an H200 (the same).
const fewerRows = 3

// tensorTiming returns the latency of a product of matrices, and the cycles for which it keeps the tensor core of its sub-core. Both
// are given for the largest shape of a type; others take as much of the interval as they have of its products.
func tensorTiming(v *mma.Variant, t config.Tensor) (latency, interval uint32) {
	cycles, products := 0, 0
	switch v.A {
	case mma.F64:
		return uint32(t.DoubleLatency), uint32(t.Double)
	case mma.TF32:
		cycles, products = t.TF32, 16*8*8
	case mma.S8, mma.U8:
		cycles, products = t.Integer, 16*8*32
	case mma.B1:
		cycles, products = t.Bits, 16*8*256
	default:
		cycles, products = t.Half, 16*8*16
	}
	latency = uint32(t.Latency)
	if v.Products() == products {
		latency += uint32(t.Step)
	}
	if v.M == 8 {
		latency -= fewerRows
	}
	return latency, uint32(max(least, (cycles*v.Products()+products-1)/products))
}
