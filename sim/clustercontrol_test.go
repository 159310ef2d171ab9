package sim

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/policy"
)

const clusterSource = `package p

import "github.com/weft-gpu/weft/gpu"

// Up makes each cluster wait for the next higher one.
func Up(t gpu.Thread, x []uint32) {
	c := t.Cluster()
	if (c+1)*t.ClusterSize() < t.GridDim() {
		for gpu.Load(&x[c+1]) == 0 {
		}
	}
	gpu.Store(&x[c], 1)
}

// Down makes each cluster wait for the next lower one.
func Down(t gpu.Thread, x []uint32) {
	c := t.Cluster()
	if c > 0 {
		for gpu.Load(&x[c-1]) == 0 {
		}
	}
	gpu.Store(&x[c], 1)
}

// Within makes each block wait for the next higher one of its cluster.
func Within(t gpu.Thread, x []uint32) {
	b := t.Block()
	if t.ClusterRank()+1 < t.ClusterSize() {
		for gpu.Load(&x[b+1]) == 0 {
		}
	}
	gpu.Store(&x[b], 1)
}

// Handed makes each block wait at an mbarrier of its own for the next block of its cluster, but the last one.
func Handed(t gpu.Thread, x []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	b.Init(1)
	t.SyncCluster()
	if t.ClusterRank()+1 < t.ClusterSize() {
		b.Wait(0)
	}
	if t.ClusterRank() > 0 {
		gpu.MapShared(t, b, t.ClusterRank()-1).Arrive()
	}
	t.SyncCluster()
}

// Lock has blocks that take a spin lock.
func Lock(t gpu.Thread, x []uint32) {
	for gpu.AtomicCAS(&x[0], 0, 1) != 0 {
	}
	gpu.Store(&x[1], gpu.Load(&x[1])+1)
	gpu.StoreRelease(&x[0], 0)
}

// Barrier is a barrier of all blocks.
func Barrier(t gpu.Thread, x []uint32) {
	gpu.AtomicAdd(&x[0], 1)
	for gpu.Load(&x[0]) < t.GridDim() {
	}
}

// Order notes in which order blocks come.
func Order(t gpu.Thread, x []uint32) {
	if t.Idx() == 0 {
		x[1+gpu.AtomicAdd(&x[0], 1)] = t.Block()
	}
	t.SyncCluster()
}

// Begins notes when blocks begin.
func Begins(t gpu.Thread, x []uint32) {
	now := uint32(t.Clock())
	if t.Idx() == 0 {
		x[t.Block()] = now
	}
}

// Flag makes block 0 of a cluster wait for a flag in its shared memory that block 1 sets, unless it is a hang.
func Flag(t gpu.Thread, x []uint32) {
	flag := gpu.Shared[uint32](t)
	gpu.Store(flag, 0)
	t.ArriveCluster()
	t.WaitCluster()
	if t.ClusterRank() == 0 {
		for gpu.Load(flag) == 0 {
		}
	} else if x[0] == 0 {
		gpu.Store(gpu.MapShared(t, flag, 0), 1)
	}
	t.SyncCluster()
}

// Ahead makes block 1 toggle a word until its cluster has met, to which block 0 comes behind a step.
func Ahead(t gpu.Thread, x []uint32) {
	if t.ClusterRank() == 0 {
		gpu.Store(&x[0], 1)
		t.SyncCluster()
		return
	}
	t.ArriveCluster()
	for gpu.Load(&x[0]) == 0 {
		gpu.AtomicXor(&x[1], 1)
	}
	t.WaitCluster()
}
`

// inClusters launches a kernel of clusterSource with clusters of two blocks under a Control, and returns the words that it left.
func inClusters(t *testing.T, c policy.Control, kernel string, seed uint64, grid int, first uint32, set ...string) ([]uint32, error) {
	t.Helper()
	d, err := New(machineOf(t, set...), Options{Seed: seed, Control: c, Budget: 20_000_000})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	words := make([]uint32, 32)
	words[0] = first
	x := upload(t, d, "x", device.U32, words)
	_, err = d.Launch(context.Background(), device.Launch{Kernel: compiled(t, clusterSource, kernel), Grid: grid, Block: 1, Cluster: 2, Args: []any{x}})
	return download[uint32](t, d, x), err
}

// TestModelsOfClusters checks that what a model guarantees to end ends on every seed, and that what it does not hangs on some seeds, where clusters are to the
// models what blocks are without: blocks of one cluster may wait for each other under each model.
func TestModelsOfClusters(t *testing.T) {
	const all = "obe hsa hsa_obe lobe weak_fair"
	for kernel, guaranteed := range map[string]string{
		"Within": all, "Handed": all, "Up": "weak_fair", "Down": "hsa hsa_obe lobe weak_fair", "Lock": "obe hsa_obe lobe weak_fair", "Barrier": "weak_fair",
	} {
		for _, m := range policy.Models() {
			hangs := 0
			for seed := range uint64(20) {
				_, err := inClusters(t, &m, kernel, seed, 8, 0)
				if err == nil {
					continue
				}
				var hang *device.HangError
				require.ErrorAs(t, err, &hang, "%s under %s", kernel, m.Name)
				hangs++
				if contains("obe hsa_obe lobe", m.Name) {
					assert.Regexp(t, `of 8 blocks cannot be placed until others end: progress model `+m.Name+` with at most [1-3] clusters? at a time$`, hang.What)
				}
			}
			if contains(guaranteed, m.Name) {
				assert.Zero(t, hangs, "%s under %s", kernel, m.Name)
			} else {
				assert.Positive(t, hangs, "%s under %s", kernel, m.Name)
			}
		}
	}
}

// TestClustersNeedRoom checks that room is counted in whole clusters: three blocks fit, and clusters have two.
func TestClustersNeedRoom(t *testing.T) {
	m, err := policy.ModelNamed("weak_fair")
	require.NoError(t, err)
	_, err = inClusters(t, m, "Barrier", 1, 4, 0, "sm.count", "1", "sm.blocks", "3")
	require.EqualError(t, err, "progress model weak_fair: all blocks must be resident, but 2 of the 4 blocks fit on the machine at once")
	_, err = inClusters(t, m, "Barrier", 1, 2, 0, "sm.count", "1", "sm.blocks", "3")
	require.NoError(t, err)
}

// TestDispatchOfClusters checks the order in which clusters are placed on a machine with room for one: that of the first block of each.
func TestDispatchOfClusters(t *testing.T) {
	one := []string{"sm.count", "2", "sm.blocks", "1"}
	order := func(schedule string) (clusters []uint32) {
		s, err := policy.ParseSchedule([]byte(schedule))
		require.NoError(t, err)
		x, err := inClusters(t, s, "Order", 1, 10, 0, one...)
		require.NoError(t, err)
		for i := uint32(1); i < 11; i += 2 {
			require.Equal(t, x[i]/2, x[i+1]/2, "the blocks of a cluster come together: %v", x[1:11])
			clusters = append(clusters, x[i]/2)
		}
		return clusters
	}
	assert.Equal(t, []uint32{0, 1, 2, 3, 4}, order(`{}`))
	assert.Equal(t, []uint32{3, 0, 1, 2, 4}, order(`{"dispatch":[7]}`))
	assert.Equal(t, []uint32{3, 1, 0, 2, 4}, order(`{"dispatch":[7,6,2,3]}`))
	shuffled := order(`{"shuffle":true}`)
	assert.NotEqual(t, []uint32{0, 1, 2, 3, 4}, shuffled)
	assert.ElementsMatch(t, []uint32{0, 1, 2, 3, 4}, shuffled)
	s, err := policy.ParseSchedule([]byte(`{"dispatch":[10]}`))
	require.NoError(t, err)
	_, err = inClusters(t, s, "Order", 1, 10, 0, one...)
	require.EqualError(t, err, "schedule: dispatch names block 10, but the grid has 10 blocks")
}

// again is a policy.Control that selects a block whose cluster has been placed.
type again struct{ next []int }

func (a *again) Begin(policy.Launch) (policy.BlockOrder, policy.StepOrder, error) { return a, nil, nil }

func (a *again) Next() int {
	next := a.next[0]
	a.next = a.next[1:]
	return next
}

func (a *again) Ended(int) {}

// TestPlacedClusters checks that an order of blocks must not place a cluster twice.
func TestPlacedClusters(t *testing.T) {
	_, err := inClusters(t, &again{[]int{3, 2}}, "Order", 1, 4, 0)
	require.EqualError(t, err, "the order of blocks places block 2, which does not exist or has been placed")
}

// TestClustersBeginTogether checks that a delay of blocks delays clusters: the two blocks of one begin at the same time, and clusters do not.
func TestClustersBeginTogether(t *testing.T) {
	x, err := inClusters(t, nil, "Begins", 3, 8, 0, "jitter.block", "5000", "jitter.sm", "5000")
	require.NoError(t, err)
	for b := 0; b < 8; b += 2 {
		assert.InDelta(t, x[b], x[b+1], 50, "cluster %d: %v", b/2, x[:8])
	}
	assert.Greater(t, slices.Max(x[:8])-slices.Min(x[:8]), uint32(1000))
}

// TestStepsOfClusters checks that schedules of steps are followed, and what is said of those that repeat for ever.
func TestStepsOfClusters(t *testing.T) {
	follow := func(kernel, schedule string, first uint32) error {
		s, err := policy.ParseSchedule([]byte(schedule))
		require.NoError(t, err)
		_, err = inClusters(t, s, kernel, 1, 2, first)
		return err
	}
	const waits = `{"steps":[{"block":1},{"block":0,"times":4}]%s}`
	require.NoError(t, follow("Flag", fmt.Sprintf(waits, ""), 0))
	require.NoError(t, follow("Flag", fmt.Sprintf(waits, `,"loop":[{"block":0},{"block":1}]`), 0), "it ends before it repeats")
	err := follow("Flag", `{"steps":[{"block":1},{"block":1}]}`, 0)
	require.EqualError(t, err, "schedule: steps[1] cannot be taken: block 1, warp 0 is not about to access memory; block 0, warp 0, lanes 00000001 is")
	for _, c := range []struct {
		kernel, schedule string
		first            uint32
		kind             device.HangKind
	}{
		{"Flag", `{"steps":[{"block":0},{"block":1}],"loop":[{"block":0}]}`, 0, device.Starved}, // block 1 has no turn
		{"Flag", `{"steps":[{"block":0},{"block":1},{"block":1}],"loop":[{"block":0}]}`, 1, device.Hang},
		{"Ahead", `{"loop":[{"block":1}]}`, 0, device.Starved},
	} {
		err := follow(c.kernel, c.schedule, c.first)
		var hang *device.HangError
		require.ErrorAs(t, err, &hang, "%s %s", c.kernel, c.schedule)
		assert.Equal(t, c.kind, hang.Kind, "%s %s", c.kernel, c.schedule)
	}
	require.NoError(t, follow("Ahead", `{"pauses":[{"block":0,"step":0}]}`, 0), "a pause ends although block 1 changes memory for ever")
}
