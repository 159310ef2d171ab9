// Package tensormap has the boxes of tensors that copies in bulk bring to shared memory and back: which bytes of a buffer lie where in
// a box. The rules are those of cuTensorMapEncodeTiled (CUDA Driver API, "Tensor Map Object Management") and of cp.async.bulk.tensor
// (PTX ISA), tiled mode, without strides between the elements of a box.
package tensormap
