package waitfor_test

import (
	"embed"
	"testing"

	"github.com/weft-gpu/weft/device"
)

//go:embed testdata/clusters/*.go
var clusters embed.FS

// clusterHangs are the kernels of testdata/clusters.
var clusterHangs = []plantedHang{
	{"NotSet", device.CauseNoWriter, []string{
		"[0] blocks 0, 2, warp 0 (64 threads)", "spins until flag != 0; it is 0 (shared memory of another block of the cluster)",
		"clusters/clusters.go:18 (gpu.Store) is executed by no thread of this launch: only if t.ClusterRank() != 0 && clean != 0 && t.Idx() == 0",
	}},
	{"OwnFlag", device.CauseNoWriter, []string{"spins until flag != 0; it is 0 (shared memory)", "clusters/clusters.go:35 (gpu.Store) writes other elements"}},
	{"Ring", device.CauseCycle, []string{
		"[0] blocks 0 to 3, warp 0, lane 0 (4 threads)", "ended by gpu.Store of 1: clusters/clusters.go:55:12 in Ring, if t.Idx() == 0, by blocks 0 to 3, warp 0, lane 0 (4 threads), spinning [0]",
	}},
	{"SetBack", device.CauseOverwritten, []string{
		"set to 0 by block 3, warp 0, lane 0: gpu.Store: clusters/clusters.go:71:13 in SetBack", "by blocks 1, 3, warp 0, lane 0 (2 threads), which executed it before",
		"do not execute clusters/clusters.go:71 (gpu.Store) after the signal (checked: without it the launch ends)",
	}},
	{"Handed", device.CauseReused, []string{
		"missed phase 1 of full (parity 0)", "completed phase 1 at clusters/clusters.go:110 (MBarrier.Arrive)",
		"let no thread arrive in a phase of full before all that wait for the phase before have seen it",
	}},
	{"TooFew", device.CauseArrivals, []string{
		"b lacks 1 of 2 arrivals: 1 thread arrived at clusters/clusters.go:90 (MBarrier.Arrive)", "1 instead of 2 at clusters/clusters.go:86 (MBarrier.Init) (checked: with that the launch ends)",
	}},
	{"CopiedAndLeft", device.CauseArrivals, []string{
		"full lacks 1 of 1 arrivals; block 1, warp 0 (32 threads) left the kernel at clusters/clusters.go:140 without an arrival; block 0, warp 0 (32 threads) came to a wait without an arrival",
	}},
	{"CopiedForItself", device.CauseCycle, []string{
		"clusters/clusters.go:164:13 in CopiedForItself spins until the phase of parity 0 of told is complete", "ended by MBarrier.Arrive: clusters/clusters.go:169:51 in CopiedForItself, if t.Idx() == 0, by blocks 0 to 3, warp 0, lane 0 (4 threads), spinning [0]",
		"only threads that wait themselves would end the wait of [0]; [1] waits for one of them",
	}},
}

// sendHangs are those of sends.go, in the same folder.
var sendHangs = []plantedHang{
	{"SentToItself", device.CauseBytes, []string{
		"[0] blocks 1, 3, warp 0 (64 threads)", "clusters/sends.go:21 (MBarrier.ArriveExpect) expects 128 bytes; no copy is under way to it; copies bring 128 bytes more to full of block 0 than that expects",
		"let the copies complete at full of block 1, where their bytes are expected, and not at full of block 0",
	}},
	{"LeftOut", device.CauseBytes, []string{
		"clusters/sends.go:36 (MBarrier.ArriveExpect) expects 128 bytes; no copy is under way to it; the mask of clusters/sends.go:40 (gpu.MulticastBulk) is 0x1, which leaves out block 1 with rank 1",
		"let clusters/sends.go:40 (gpu.MulticastBulk) copy to block 1 as well, by the mask 0x3",
	}},
	{"SentInTurn", device.CauseCycle, []string{
		"spins until the phase of parity 0 of full is complete; it is in phase 1 (parity 0) with 1 of 1 arrivals, and waits for 128 bytes (shared memory) ended by gpu.SendBulk: clusters/sends.go:62:15 in SentInTurn, if t.Idx() == 0, by blocks 0 to 3, warp 0, lane 0 (4 threads), spinning [0]",
	}},
}

// valueHangs are those of sendvalues.go, in the same folder.
var valueHangs = []plantedHang{
	{"StoredToItself", device.CauseBytes, []string{
		"[0] blocks 1, 3, warp 0 (64 threads)", "clusters/sendvalues.go:18 (MBarrier.ArriveExpect) expects 128 bytes; no copy is under way to it; copies bring 128 bytes more to full of block 0 than that expects",
		"let the copies complete at full of block 1, where their bytes are expected, and not at full of block 0",
	}},
	{"AddedInTurn", device.CauseCycle, []string{
		"ended by gpu.AddAsync: clusters/sendvalues.go:41:15 in AddedInTurn, if t.Idx() == 0, by blocks 0 to 3, warp 0, lane 0 (4 threads), spinning [0]",
	}},
	{"StoredHalf", device.CauseBytes, []string{
		"clusters/sendvalues.go:61 (MBarrier.ArriveExpect) expects 256 bytes, the copy of clusters/sendvalues.go:57 (gpu.StoreAsync2) has brought 8; no copy is under way to it",
		"expect as many bytes as copies bring to full: 128 instead of 256 at clusters/sendvalues.go:61 (MBarrier.ArriveExpect) (checked: with that the launch ends)",
	}},
}

// TestClusters launches kernels whose blocks wait for each other in shared memory for ever, and their twins that end.
func TestClusters(t *testing.T) {
	for _, hangs := range [][]plantedHang{clusterHangs, sendHangs, valueHangs} {
		findsPlanted(t, clusters, "clusters", []string{"func", "h200"}, device.Launch{Grid: 4, Block: 32, Cluster: 2}, 128, hangs)
	}
}
