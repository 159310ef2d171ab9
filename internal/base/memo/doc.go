// Package memo keeps what several runs on one input compute alike, such as the answer of the CPU
// with which all of them are compared, so that it is computed once.
//
// A Memo travels in the context, past all that lies between the sweep, which knows that other runs
// follow, and the function that is costly. Without one in the context nothing is kept.
package memo
