// Package microbench measures a device with the micro-kernels of kernels/micro.
package microbench
