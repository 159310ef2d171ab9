package clusters

import "github.com/weft-gpu/weft/gpu"

// Cells is the number of cells of a block, and Threads the number of its threads for Heat.
const (
	Cells   = 1024
	Threads = 256
)

// Heat lets the temperature of cells in a row spread for some steps: each cell becomes the mean of itself, twice, and its two
// neighbours; the ends of a cluster's row are closed. Each cluster has a row of its own, of Cells cells a block, which stay in shared
// memory: only the cells at the ends of a block are read by the blocks beside it. A block has Threads threads.
func Heat(t gpu.Thread, cells []float32, steps uint32) {
	row := gpu.Shared[[2][Cells]float32](t)
	first := t.Block() * Cells
	for i := t.Idx(); i < Cells; i += Threads {
		row[0][i] = cells[first+i]
	}
	now := uint32(0)
	for range steps {
		t.SyncCluster()
		for i := t.Idx(); i < Cells; i += Threads {
			left, here, right := row[now][i], row[now][i], row[now][i]
			if i > 0 {
				left = row[now][i-1]
			} else if t.ClusterRank() > 0 {
				left = *gpu.MapShared(t, &row[now][Cells-1], t.ClusterRank()-1)
			}
			if i < Cells-1 {
				right = row[now][i+1]
			} else if t.ClusterRank() < t.ClusterSize()-1 {
				right = *gpu.MapShared(t, &row[now][0], t.ClusterRank()+1)
			}
			row[1-now][i] = (left + 2*here + right) / 4
		}
		now = 1 - now
	}
	t.SyncCluster() // a block stays until the others have read its ends
	for i := t.Idx(); i < Cells; i += Threads {
		cells[first+i] = row[now][i]
	}
}

// HeatGlobal is Heat with the cells in global memory: from and to, which change their roles with each step. The result of an odd number
// of steps is in to.
func HeatGlobal(t gpu.Thread, from, to []float32, steps uint32) {
	first := t.Block() * Cells
	for s := range steps {
		for i := t.Idx(); i < Cells; i += Threads {
			if s%2 == 0 {
				to[first+i] = spread(t, from, first, i)
			} else {
				from[first+i] = spread(t, to, first, i)
			}
		}
		t.SyncCluster()
	}
}

// spread returns the next temperature of cell i of a block whose cells begin at first.
func spread(t gpu.Thread, cells []float32, first, i uint32) float32 {
	here := cells[first+i]
	left, right := here, here
	if i > 0 || t.ClusterRank() > 0 {
		left = cells[first+i-1]
	}
	if i < Cells-1 || t.ClusterRank() < t.ClusterSize()-1 {
		right = cells[first+i+1]
	}
	return (left + 2*here + right) / 4
}
