// Package mbarrier is the state of an mbarrier object of PTX, and how its operations change it.
//
// An mbarrier is a word of 64 bits in shared memory. PTX leaves open what its bits mean (PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier"), so that any layout is right as long as only the operations look at
// it. All executors and what explains hangs use the one of this package.
package mbarrier
