package waitfor

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// threads collects threads by block and warp.
type threads struct {
	lanes map[[2]int]uint32 // by block and warp
}

func (t *threads) add(block, warp int, mask uint32) {
	if t.lanes == nil {
		t.lanes = map[[2]int]uint32{}
	}
	t.lanes[[2]int{block, warp}] |= mask
}

// plain returns the threads as data. Warps and lanes are given if they are the same everywhere.
func (t *threads) plain() (out device.Threads) {
	var blocks, warps []int
	by := map[int][]int{}
	lanes, same := uint32(0), true
	for key, mask := range t.lanes {
		out.Count += bits.OnesCount32(mask)
		blocks, warps = append(blocks, key[0]), append(warps, key[1])
		by[key[0]] = append(by[key[0]], key[1])
		same = same && (lanes == 0 || lanes == mask)
		lanes = mask
	}
	out.Blocks = spansOf(blocks)
	all := spansOf(warps)
	// Blocks, warps and lanes are named apart only if the threads are their product: "blocks 0 to 3, warp 1" must not name
	// others.
	product := true
	for _, list := range by {
		product = product && slices.Equal(spansOf(list), all)
	}
	if product {
		out.Warps = all
		if same {
			out.Lanes = device.Lanes(lanes)
		}
	}
	return out
}
