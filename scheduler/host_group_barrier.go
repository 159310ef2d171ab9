//go:build !kernel

package scheduler

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// GroupBarrierArg is a GroupBarrier as a launch argument.
type GroupBarrierArg struct {
	Count, Arrived device.Buffer
	Peers          [MostPeers]device.Buffer
	GPU, Round     uint32
}

// GroupBarrierWords is the name of the buffers of a GroupBarrier into which other GPUs store.
const GroupBarrierWords = "gpus.Arrived"

// NewGroupBarrier allocates the words of a GroupBarrier on all GPUs of a group, and returns the argument for each. memories are
// those of the GPUs, in their order. The error says why the GPUs cannot wait for each other.
func NewGroupBarrier(g device.Group, memories []*Memory) ([]GroupBarrierArg, error) {
	if err := CheckGroupBarrier(g); err != nil {
		return nil, err
	}
	counts, arrived := make([]device.Buffer, len(memories)), make([]device.Buffer, len(memories))
	for i, m := range memories {
		counts[i], arrived[i] = m.Copy("gpus.Count", []uint32{0}), m.Copy(GroupBarrierWords, make([]uint32, len(memories)))
		if err := m.Err(); err != nil {
			return nil, err
		}
	}
	return GroupBarriers(counts, arrived), nil
}

// GroupBarriers returns the arguments for GPUs that have the words already, which are zero: each has one in counts, and in arrived one
// for each GPU. There are at most MostPeers+1.
func GroupBarriers(counts, arrived []device.Buffer) []GroupBarrierArg {
	args := make([]GroupBarrierArg, len(counts))
	for i := range args {
		args[i] = GroupBarrierArg{Count: counts[i], Arrived: arrived[i], GPU: uint32(i)}
		for k := range args[i].Peers {
			args[i].Peers[k] = arrived[i].Slice(0, 0)
		}
		copy(args[i].Peers[:], arrived[:i])
		copy(args[i].Peers[i:], arrived[i+1:])
	}
	return args
}

// CheckGroupBarrier returns an error if a group has too many GPUs for a GroupBarrier, or some that cannot store to the memory
// of others.
func CheckGroupBarrier(g device.Group) error {
	n := g.GPUs()
	if n > MostPeers+1 {
		return fmt.Errorf("%s has %d GPUs; a barrier of GPUs is for at most %d", g.Name(), n, MostPeers+1)
	}
	if from, to, found := unreachable(g); found {
		return fmt.Errorf("kernels on GPU %d of %s cannot store to the memory of GPU %d, so the two cannot pass a barrier", from, g.Name(), to)
	}
	return nil
}
