// Package core has no code: its folders are what all executors share: the state and the instructions of warps (simt), the
// counters and their names (counter), asynchronous copies that are pending (async), states that recur (repeat), and devices
// that are closed while they run (closing).
package core
