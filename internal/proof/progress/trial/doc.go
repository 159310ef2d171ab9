// Package trial runs progress litmus tests on devices: as kernels that are
// compiled from the tests, whose threads are blocks or lanes of a warp.
package trial
