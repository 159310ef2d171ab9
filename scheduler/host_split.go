//go:build !kernel

package scheduler

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
)

// BucketsArg is a Buckets as a launch argument.
type BucketsArg struct {
	Small, Medium, Large, Counts, Next, Out device.Buffer
	Block                                   uint32
}

// Splitter launches Split. Its counts of buckets are for odd and for even iterations, so that one launch makes
// those of the next one 0.
type Splitter struct {
	Lists  [3]device.Buffer
	Most   [3]int // most vertices of each bucket
	counts device.Buffer
	kernel *device.Kernel
}

// SplitKernel is the entry point of Split.
func SplitKernel() EntryPoint {
	return EntryPoint{Name: "scheduler.Split", What: "the frontier in three lists by degree"}
}

// BucketMappings are the mappings for the vertices of each bucket.
var BucketMappings = [3]string{"scheduler.ThreadPerVertex", "scheduler.WarpPerVertex", "scheduler.BlockPerVertex"}

// BucketTeams are the teams for the vertices of each bucket.
var BucketTeams = [3]Team{OneThread, OneWarp, OneBlock}

// NewSplitter allocates the buckets for the frontiers of a graph (and if it is not nil, of another one with its vertices) under blocks of some threads.
func NewSplitter(ctx context.Context, l *Loop, block int, graphs ...*graph.CSR) (*Splitter, error) {
	s := &Splitter{}
	for _, g := range graphs {
		var most [3]int
		for v := range uint32(g.Vertices()) {
			switch d := g.Degree(v); {
			case d < int(OneWarp):
				most[0]++
			case d < block:
				most[1]++
			default:
				most[2]++
			}
		}
		for i := range most {
			s.Most[i] = max(s.Most[i], most[i])
		}
	}
	for i, name := range []string{"bucket.Small", "bucket.Medium", "bucket.Large"} {
		s.Lists[i] = l.Memory.Alloc(name, device.U32, s.Most[i])
	}
	s.counts = l.Memory.Copy("bucket.Counts", make([]uint32, 6))
	var err error
	if s.kernel, err = l.Kernels.Kernel(ctx, SplitKernel().Name, nil); err != nil {
		return nil, err
	}
	return s, l.Memory.Err()
}

// Launch returns the launch of Split for a frontier. odd is 1 in odd iterations, and out the counter of the next frontier.
func (s *Splitter) Launch(l *Loop, block int, row device.Buffer, in FrontierArg, odd int, out device.Buffer) (device.Launch, error) {
	grid, err := l.Grid(s.kernel, block, OneThread, int(in.Count))
	arg := BucketsArg{s.Lists[0], s.Lists[1], s.Lists[2], s.Counts(odd), s.Counts(1 - odd), out, uint32(block)}
	return device.Launch{Kernel: s.kernel, Grid: grid, Block: block, Args: []any{row, in, arg}}, err
}

// Counts returns the numbers of vertices of the buckets.
func (s *Splitter) Counts(odd int) device.Buffer { return s.counts.Slice(3*odd, 3*odd+3) }

// Count returns the number of vertices of a bucket.
func (s *Splitter) Count(odd, bucket int) device.Buffer { return s.Counts(odd).Slice(bucket, bucket+1) }
