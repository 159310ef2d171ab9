// Package ptxlitmus reads litmus tests of the PTX memory model and decides them
// under its axioms.
//
// A litmus test is a few threads of a few instructions each, and a condition on
// the final values of registers and memory. The format is that of Dat3M
// (github.com/hernanponcedeleon/Dat3M, litmus/PTX), in which the tests of
// NVIDIA's mixedproxy, of memalloy and of others are collected.
package ptxlitmus
