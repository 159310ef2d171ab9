// Package cudatest has CUDA programs in many styles, each of which checks its answer, with faults planted in twins of them.
package cudatest
