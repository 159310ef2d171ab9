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

// NewGroupBarrier allocates the words of a GroupBarrier on all GPUs of a group, and returns the argument for each. memories are
// those of the GPUs, in their order. The error says why the GPUs cannot wait for each other.
func NewGroupBarrier(g device.Group, memories []*Memory) ([]GroupBarrierArg, error) {
	n := g.GPUs()
	if err := CheckGroupBarrier(g); err != nil {
		return nil, err
	}
	args := make([]GroupBarrierArg, n)
	for i, m := range memories {
		args[i] = GroupBarrierArg{Count: m.Copy("gpus.Count", []uint32{0}), Arrived: m.Copy("gpus.Arrived", make([]uint32, n)), GPU: uint32(i)}
		if err := m.Err(); err != nil {
			return nil, err
		}
	}
	for i := range args {
		peers := args[i].Peers[:0]
		for j := range args {
			if j != i {
				peers = append(peers, args[j].Arrived)
			}
		}
		for len(peers) < MostPeers {
			none := args[i].Arrived
			none.Len = 0
			peers = append(peers, none)
		}
	}
	return args, nil
}

// CheckGroupBarrier returns an error if a group has too many GPUs for a GroupBarrier, or some that cannot store to the memory
// of others.
func CheckGroupBarrier(g device.Group) error {
	n := g.GPUs()
	if n > MostPeers+1 {
		return fmt.Errorf("%s has %d GPUs; a barrier of GPUs is for at most %d", g.Name(), n, MostPeers+1)
	}
	for from := range n {
		for to := range n {
			if from != to && !g.Peer(from, to).Access {
				return fmt.Errorf("kernels on GPU %d of %s cannot store to the memory of GPU %d, so the two cannot pass a barrier", from, g.Name(), to)
			}
		}
	}
	return nil
}
