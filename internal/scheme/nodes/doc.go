// Package nodes is breadth-first search as it was first parallelized on GPUs (Harish and
// Narayanan, HiPC 2007; ECE 508 lecture 7, "One Thread per Node on 8800 GTX"), for every algorithm
// that can be pushed: threads are assigned to vertices once, and there is no queue.
//
// An array says which vertices are in the frontier. In each iteration a thread looks at each of
// its vertices, whether that is in the frontier or not, and goes over the arcs of those that are;
// it marks the targets that it makes active in a second array. The iterations end when no vertex
// was marked. L iterations look at V vertices each, so the work is O(VL + E), which the lecture
// calls too much for graphs of large diameter.
//
// The lecture notes that the original "requires atomics for correctness (and doesn't use them)":
// here a target is updated by the Update of its algorithm, which is atomic. A mark is the number of an
// iteration, so that nobody clears marks, where the original has a second kernel for that and an
// array of visited vertices, which the values are here.
package nodes
