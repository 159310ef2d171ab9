// Package plain is device code: kernels without atomics, ordered accesses and operations of warps, which MGPUSim can run.
package plain
