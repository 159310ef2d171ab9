// Package generate generates random kernels, as Go source, for differential
// tests.
//
// A kernel is a function with a fixed signature (see Signature) that uses the
// types and helpers of package corpus. It has a single correct result: threads
// share data only between barriers or through atomics whose order does not
// matter, collectives are in uniform control flow, indices are in range, every
// floating-point operation is rounded explicitly, and no statement depends on
// an order of evaluation that Go leaves open. Equal seeds give equal text.
package generate
