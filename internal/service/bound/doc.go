// Package bound finds out what limits the speed of a kernel. From the launches
// of a program and the device's reports on them it computes for each kernel its
// configuration, its occupancy, its stall reasons, and the utilisation of each
// part of the machine relative to its peak, and decides which of these
// determines how long the kernel takes.
package bound
