// Package occupancy computes how many blocks of a kernel fit on an SM.
package occupancy
