// Package microbench measures a device with the micro-kernels of internal/kernels/micro.
package microbench
