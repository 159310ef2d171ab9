// Package litmus contains the standard litmus tests of memory models as kernels: message
// passing, store buffering, load buffering, coherence, independent reads of independent
// writes, and causality through a third thread or through a Sync. Each shape exists with
// accesses of several strengths ([Mode]), for threads of one block and of several blocks.
//
// A test has two to four threads and two words, x and y, which start as 0. Its kernel runs
// many instances at the same time, each on its own words. The host half ([Runner]) derives
// from a seed where the threads and words are placed and how long each thread waits before
// it starts, and counts the outcomes.
package litmus
