// Package waitfor explains why a kernel does not end: it computes who waits for what, which lines
// of the source could end each wait, and why nobody executes them (device.WaitGraph), and renders
// that as text and for Graphviz.
//
// It works on a Snapshot of the machine and on the program. What a waiting warp reads and under
// which condition it would go on is found by executing its loop once more, on a copy. Who could
// write the word is found in the program: by the stores and atomics that may reach it, and for
// each thread by the branches that it can take.
//
// Five types do this, each on top of the one before and with a state of its own: a reader reads what each group of lanes
// waits for, a finder finds the threads that may come to a line, a historian knows what happened before, an explainer
// connects who waits with who would end the wait, and an advisor says what to change, by cures that it tries.
package waitfor
