// Package litmus holds the usual litmus tests of memory models as kernels:
// message passing, store buffering, load buffering, coherence, independent reads of
// independent writes, and causality over a third thread or over a Sync, each with
// several strengths of order and for threads of one block and of several.
//
// A test has two to four threads and two words x and y that are 0. Its kernel
// runs many instances at once, each on words of its own; the host half says
// where threads and words lie and how long each thread waits before it begins,
// by a seed, and counts the outcomes.
package litmus
