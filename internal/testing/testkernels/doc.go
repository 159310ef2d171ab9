// Package testkernels is device code: the kernels that package devicetest launches on
// every device.
package testkernels
