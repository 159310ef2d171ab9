//go:build !kernel

package scheduler

import "github.com/weft-gpu/weft/device"

// EquationOne is equation 1 of SIMD-X (section 5): how many blocks of a grid are resident at
// the same time, computed from their registers. It knows no other limit of a machine, so a
// GridBarrier of that many blocks may hang.
func EquationOne(o device.Occupancy, threadsPerBlock int) int {
	return o.RegsPerSM / (o.Regs * threadsPerBlock) * o.SMs
}
