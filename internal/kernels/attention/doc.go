// Package attention has the attention of transformers, softmax(q*k^T*scale)*v: by warpgroups on the tensor cores, and by multiplications and
// additions of float32 beside it.
package attention
