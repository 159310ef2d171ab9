// Package ncu reads hardware counters with NVIDIA Nsight Compute: it runs a program under ncu, or reads a CSV file
// written by ncu elsewhere.
package ncu
