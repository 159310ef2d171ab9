// Package microbench measures a device with the micro-kernels of internal/kernels/micro, and compares rows that CUDA programs print under results/hw.
package microbench
