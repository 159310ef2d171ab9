package mma

// The places of elements have one rule for all shapes here (PTX ISA, "Matrix Fragments for mma.m16n8k16" and the sections beside
// it). A lane belongs to one of 8 groups of 4. In A and C its group selects the row, and further registers have the row 8 below, and
// then further columns; in B its group selects the column. Its index in the group selects which of consecutive elements it holds.

// ElementA returns the row and column of the element of A at an index in a register of a lane.
func (v *Variant) ElementA(lane, register, i int) (row, column int) {
	n := v.A.packed()
	rows := v.M / 8 // registers that differ in the row
	return lane>>2 + register%rows*8, register/rows*4*n + lane&3*n + i
}

// ElementB returns the row and column of an element of B.
func (v *Variant) ElementB(lane, register, i int) (row, column int) {
	n := v.B.packed()
	return register*4*n + lane&3*n + i, lane >> 2
}

// ElementC returns the row and column of an element of C and of the result. Two neighbours of a row are packed in a register, or
// stand in two.
func (v *Variant) ElementC(lane, register, i int) (row, column int) {
	at := register*v.C.packed() + i
	return lane>>2 + at>>1*8, lane&3*2 + at&1
}
