// Package lock contains the ways in which threads wait for one another through words of
// global memory, each with the mistakes that make them wait for ever: spin locks, two locks
// in opposite order, producers and consumers, a condition with a lost wake-up, and a flag that
// is read from a stale copy.
package lock
