// Package kernels has kernels that are no algorithms: micro measures machines; barrier, lock and worklist are for studies of
// hangs.
package kernels
