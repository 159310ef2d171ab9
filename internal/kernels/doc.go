// Package kernels has kernels that are no algorithms: micro measures machines; barrier, lock and worklist are for studies of
// hangs; pipeline has a ring of producers and consumers, and matrices products of matrices.
package kernels
