// Package native is a device that runs kernels as Go functions with gpu.Launch.
// It is for testing host loops without a compiler and an executor.
package native
