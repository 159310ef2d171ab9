// Package matrices has products of matrices: by the tensor cores, and by multiplications and additions of float32 beside them.
package matrices
