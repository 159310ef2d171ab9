// Package clusters has kernels over the shared memory of a cluster of blocks, each beside one that does the same without: a histogram
// with more bins than a block has room for, and a stencil whose cells stay in shared memory.
package clusters
