// Package function is the functional device "func": it runs kernels without a model
// of time, with all checks enabled. Warps take turns in a fixed order, memory
// is sequentially consistent, and a launch always gives the same result.
//
// It is the reference for the simulator, so it rejects what PTX and CUDA leave
// undefined; package undefined lists it.
package function
