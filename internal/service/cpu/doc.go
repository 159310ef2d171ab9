// Package cpu measures how long this machine's processor takes for a problem that a device has solved: by the best
// sequential code, and by code for all cores. They are host wall times, of the algorithm alone: the graph is in memory, in
// the form that the code needs, as it is on a device.
//
// The best sequential code is the fastest of several for the problem, where there are several: which one that is depends on
// the graph. The answers of all codes are compared with each other.
package cpu
