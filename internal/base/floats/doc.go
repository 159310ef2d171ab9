// Package floats has the binary floating-point formats of GPUs: the numbers that bits stand for, and the rounding of numbers to them.
package floats
