// Package oracle compares Weft's compiler and functional executor with clang: it runs the same launch of a kernel on device
// func and on device host, on the same inputs, and compares the memory that both leave, bit by bit. Two floats that are no
// number are equal whatever their bits.
package oracle
