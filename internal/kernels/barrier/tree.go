package barrier

import "github.com/weft-gpu/weft/gpu"

// Tree is the hierarchical barrier: blocks meet in groups, and the last block of each group
// meets those of the other groups (the tree-based barrier of Xiao and Feng, IPDPS 2010, section
// 5.2, with two levels). So few blocks use the same word.
type Tree struct{}

// fan is the number of blocks in a group.
const fan = 16

// Wait waits for all blocks.
func (Tree) Wait(t gpu.Thread, words []uint32, round uint32) {
	t.Sync()
	if t.Idx() == 0 {
		group, groups := t.Block()/fan, (t.GridDim()+fan-1)/fan
		members := min(fan, t.GridDim()-group*fan)
		own := words[2*(group+1):]
		gpu.Fence()
		if last(&own[0], members, round) {
			gpu.Fence()
			if last(&words[0], groups, round) {
				gpu.StoreRelease(&words[1], round)
			} else {
				await(&words[1], round)
			}
			gpu.StoreRelease(&own[1], round)
		} else {
			await(&own[1], round)
		}
		gpu.Fence()
	}
	t.Sync()
}

// last counts a member that has come to a round, and reports whether it is the last one.
func last(count *uint32, members, round uint32) bool {
	return gpu.AtomicAdd(count, 1)+1 == members*round
}
