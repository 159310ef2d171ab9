//go:build !kernel

package scheduler

import "sort"

// Ranges divides vertices into n ranges that follow each other and have about equal work, for the GPUs of a group: range i is
// bounds[i] to bounds[i+1] (exclusive), and begins with a multiple of whole. before has the work of all vertices before each one, such as
// the row offsets of a graph, and then that of all; without work the vertices are divided evenly. A range may be empty.
func Ranges(before []uint64, n, whole int) (bounds []int) {
	vertices := len(before) - 1
	work := before[vertices]
	for i := range n {
		at := vertices * i / n
		if work > 0 {
			want := work / uint64(n) * uint64(i)
			at = sort.Search(vertices, func(v int) bool { return before[v] >= want })
		}
		bounds = append(bounds, at/whole*whole)
	}
	bounds[0] = 0
	return append(bounds, vertices)
}
