// Package trend runs programs on MGPUSim and on Weft's devices, with the kernels of package plain, and compares answers and
// simulated times.
package trend
