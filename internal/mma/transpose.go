package mma

// Transpose transposes a matrix of 8 by 8 elements of 16 bits, of which lane i holds elements i%4*2 and the next of row i/4 (PTX
// ISA, "movmatrix"). The rows of registers may be the same.
func Transpose(d, a *Row) {
	var out Row
	for lane := range out {
		for half := range 2 {
			row, column := lane&3*2+half, lane>>2 // in a
			out[lane] |= a[row*4+column/2] >> (column & 1 * 16) & 0xFFFF << (half * 16)
		}
	}
	*d = out
}
