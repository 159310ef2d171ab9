// Package mma knows the matrix instructions of tensor cores: which shapes and types there are, which lane holds which elements, and
// what they compute (PTX ISA, "Matrix multiply-accumulate operation using mma instruction").
//
// A warp multiplies a matrix A of M rows and K columns by a matrix B of K rows and N columns, and adds a matrix C of M rows and
// N columns. Each lane holds a few elements of each matrix in its registers, packed if an element is narrower than a register.
package mma
