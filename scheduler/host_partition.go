//go:build !kernel

package scheduler

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memo"
)

// The values of the parameter partition.
const (
	byArcs     = "arcs"
	byVertices = "vertices"
	byRandom   = "random"
	byHubs     = "hubs"
)

// hubDegree is how many times the mean number of arcs a hub has at least.
const hubDegree = 4

// PartitionParams are the parameters of a scheme that divides the vertices among the GPUs of a group by RunDivided and Divide.
func PartitionParams() []Param {
	return []Param{
		{Name: "partition", Type: WordParam, Words: []string{byArcs, byVertices, byRandom, byHubs}, Default: byArcs,
			Doc: fmt.Sprintf("which vertices a GPU has: a range with about as many arcs as any other, or with as many vertices, in the order of the graph; as many in random order; or as many, with the vertices of at least %d times the mean number of arcs (hubs) dealt out in turn", hubDegree)},
		{Name: "partition-seed", Type: IntParam, Default: "1", Min: 1, Max: 1 << 31, Doc: "of the order of partition=random"},
	}
}

// CheckPartition returns an error if the parameters of PartitionParams do not go together.
func CheckPartition(p Values) error {
	if p.Word("partition") != byRandom && p.Int("partition-seed") != 1 {
		return fmt.Errorf("partition-seed is of a random order: it needs partition=random")
	}
	return nil
}

// Divide divides vertices into n ranges for the GPUs of a group, by the parameter partition; see Ranges.
func Divide(p Values, before []uint64, n, whole int) (bounds []int) {
	if p.Word("partition") != byArcs {
		before = make([]uint64, len(before))
	}
	return Ranges(before, n, whole)
}

// RunDivided runs a job on the graph with the numbers that vertices have with its parameter partition, so that ranges of them are what the GPUs
// have. Outcome.Graph is that graph, if it is not the job's.
func RunDivided(ctx context.Context, j Job, run func(ctx context.Context, j Job) (*Outcome, error)) (*Outcome, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	gpus, of := device.Alone(j.Device).GPUs(), j.Params.Word("partition")
	if gpus == 1 || of != byRandom && of != byHubs {
		return run(ctx, j)
	}
	key := divided{j.Graph, of, gpus, j.Params.Int("partition-seed")}
	g, err := memo.Do(ctx, key, (*graph.CSR).Bytes, func() (*graph.CSR, error) {
		if of == byRandom {
			return j.Graph.Shuffled(ctx, uint64(key.seed))
		}
		return j.Graph.Renumbered(ctx, dealHubs(j.Graph, gpus))
	})
	if err != nil {
		return nil, err
	}
	j.Source, _ = g.VertexOf(j.Graph.FileID(j.Source))
	j.Graph = g
	out, err := run(ctx, j)
	if out != nil {
		out.Graph = g
	}
	return out, err
}

// divided is the key of a graph that a memo keeps.
type divided struct {
	graph     *graph.CSR
	partition string
	gpus      int
	seed      int
}

// dealHubs returns new numbers of the vertices, so that of n equal ranges each has as many hubs. These come first in a range, by degree, and all other
// vertices follow in their order.
func dealHubs(g *graph.CSR, n int) (after []uint32) {
	degree := make([]int, g.Vertices()) // of both directions
	for v := range degree {
		degree[v] += g.Degree(uint32(v))
	}
	for _, v := range g.Col {
		degree[v]++
	}
	var hubs []uint32
	for v, d := range degree {
		if d > 0 && d*len(degree) >= hubDegree*2*g.Arcs() {
			hubs = append(hubs, uint32(v))
		}
	}
	slices.SortStableFunc(hubs, func(a, b uint32) int { return degree[b] - degree[a] })
	bounds := Ranges(make([]uint64, len(g.Row)), n, 1)
	next := slices.Clone(bounds[:n]) // the next number of each range
	const none = ^uint32(0)
	after = slices.Repeat([]uint32{none}, len(degree))
	for i, turn := 0, 0; i < len(hubs); turn++ {
		gpu := turn % n
		if turn/n%2 == 1 { // back, so that the first one does not have the larger of each round
			gpu = n - 1 - gpu
		}
		if next[gpu] < bounds[gpu+1] {
			after[hubs[i]] = uint32(next[gpu])
			next[gpu]++
			i++
		}
	}
	gpu := 0
	for v := range after {
		if after[v] != none {
			continue
		}
		for next[gpu] == bounds[gpu+1] {
			gpu++
		}
		after[v] = uint32(next[gpu])
		next[gpu]++
	}
	return after
}

// CutArcs returns how many arcs lead from one of the ranges to another one.
func CutArcs(g *graph.CSR, bounds []int) (cut int) {
	for i := range len(bounds) - 1 {
		lo, hi := bounds[i], bounds[i+1]
		for _, v := range g.Col[g.Row[lo]:g.Row[hi]] {
			if int(v) < lo || int(v) >= hi {
				cut++
			}
		}
	}
	return cut
}
