// Package bench measures how fast this program is on this machine: the
// compiler, the graph reader, the devices, and the simulator in detail.
package bench
