// Package mykernels has the kernels of the examples and tests of package weft.
package mykernels

import "github.com/weft-gpu/weft/gpu"

// Scale multiplies each element of x.
func Scale(t gpu.Thread, x []float32, by float32) {
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		x[i] *= by
	}
}

// Add adds up all of x in sum[0].
func Add[T gpu.Num](t gpu.Thread, x []T, sum *T) {
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		gpu.AtomicAdd(sum, x[i])
	}
}

// Point is an element that has several numbers.
type Point struct {
	X, Y float32
	ID   uint32
}

// Cloud is an argument with buffers.
type Cloud struct {
	Points []Point
	Moved  [2][]uint32
	Step   float32
}

// Move moves the points of a cloud, and notes in Moved[0] which moved and in Moved[1] how many times.
func Move(t gpu.Thread, c Cloud) {
	for i := t.Global(); i < gpu.Len(c.Points); i += t.Stride() {
		p := c.Points[i]
		p.X += c.Step
		c.Points[i] = p
		c.Moved[0][i] = p.ID
		c.Moved[1][i]++
	}
}

// Turn exchanges the halves of each row.
func Turn(t gpu.Thread, rows [][4]uint16) {
	for i := t.Global(); i < gpu.Len(rows); i += t.Stride() {
		r := rows[i]
		rows[i] = [4]uint16{r[2], r[3], r[0], r[1]}
	}
}
