// Package dram models the timing of device memory.
package dram
