// Command queens counts the ways to place n queens on an n by n board so that none attacks
// another, by tasks that add tasks: go run ./queens sim:h200
package main

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Board is a task: queens in the first rows. A bit is a column of the next row that is attacked.
type Board struct{ Row, Column, Left, Right uint32 }

// Queens has what all tasks share.
type Queens struct {
	scheduler.NoIdle[Board]
	N     uint32
	Found *uint32
}

// Run places a queen in the next row in each way that is left. Each larger board is a task.
func (a Queens) Run(t gpu.Thread, w scheduler.Worker[Board], b Board, has bool) {
	if has && b.Row == a.N {
		gpu.AtomicAdd(a.Found, 1)
	}
	free := (uint32(1)<<a.N - 1) &^ (b.Column | b.Left | b.Right)
	for ; has && b.Row < a.N && free != 0; free &= free - 1 {
		queen := free & -free
		w.Add(Board{b.Row + 1, b.Column | queen, (b.Left | queen) << 1, (b.Right | queen) >> 1})
	}
}
