//go:build cgo && linux

package hw_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/hw/internal/fakecuda"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
)

// openWhole opens n GPUs of a machine without GPUs, which run the project's own kernels.
func openWhole(t *testing.T, n int, opts hw.Options) *hw.Group {
	t.Helper()
	t.Setenv(fakecuda.GPUs, fmt.Sprint(n))
	t.Setenv(fake, "1")
	t.Setenv(worker.ByMain, "1")
	var numbers []int
	for i := range n {
		numbers = append(numbers, i)
	}
	g, err := hw.OpenGroup(t.Context(), numbers, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// TestGroupRemote checks that a kernel reads and updates the memory of another GPU.
func TestGroupRemote(t *testing.T) {
	g := openWhole(t, 2, hw.Options{})
	in := make([]uint32, 1000)
	for i := range in {
		in[i] = uint32(i)
	}
	a, out := alloc(t, g.GPU(0), "a", in), alloc(t, g.GPU(0), "out", make([]uint32, 16))
	for i := range 2 {
		_, err := g.GPU(i).Launch(t.Context(), device.Launch{Kernel: kernel(t, "Histogram"), Grid: 2, Block: 64, Args: []any{a, out}})
		require.NoError(t, err)
	}
	got := make([]uint32, 16)
	require.NoError(t, g.Read(out, got))
	assert.Equal(t, []uint32{126, 126, 126, 126, 126, 126, 126, 126, 124, 124, 124, 124, 124, 124, 124, 124}, got)
}

// TestFakeGroupContract checks the contract of groups, with and without access to peers.
func TestFakeGroupContract(t *testing.T) {
	for _, without := range []string{"", fakecuda.NoPeers} {
		t.Run("without "+without, func(t *testing.T) {
			if without != "" {
				t.Setenv(without, "1")
			}
			devicetest.GroupContract(t, func(t *testing.T) device.Group { return openWhole(t, 2, hw.Options{}) }, devicetest.Traits{})
		})
	}
}

// TestGroupSchemes runs the schemes for several GPUs: their host loops queue copies and launches that run at the same time.
func TestGroupSchemes(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=7,degree=6,seed=3", graph.LoadOptions{})
	require.NoError(t, err)
	try := func(dev *hw.Group, algorithm, scheme string, params map[string]string) {
		t.Run(fmt.Sprintf("%s by %s %v on %d", algorithm, scheme, params, dev.GPUs()), func(t *testing.T) {
			source, _ := g.MaxDegreeVertex()
			before := between(dev)
			res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: algorithm, Scheduler: scheme, Params: params, Graph: g, Source: source, Verify: true})
			require.NoError(t, err)
			require.NoError(t, res.Mismatch)
			require.True(t, res.Verified)
			if dev.GPUs() > 1 && dev.Peer(0, 1).Copy && (params["transfer"] == "" || params["transfer"] == "peer") {
				assert.Greater(t, between(dev), before)
			}
		})
	}
	two, three := openWhole(t, 2, hw.Options{}), openWhole(t, 3, hw.Options{})
	for i, e := range catalog.Entries() {
		// Kernels of atos, bitmap and near-far on several GPUs wait for each other, which those of the fake driver cannot.
		if e.TakesGroup() == nil && !slices.Contains([]string{"atos", "bitmap", "near-far"}, e.Scheduler.Name) {
			var params map[string]string
			if e.Scheduler.Name == "union-find" { // so do those of its kernel for a whole run
				params = map[string]string{"fusion": "none"}
			}
			try([]*hw.Group{two, three}[i%2], e.Algorithm.Name, e.Scheduler.Name, params)
		}
	}
	for _, transfer := range []string{"host", "peer", "store"} {
		for _, exchange := range []string{"all", "ms", "vr-offline", "vr-online"} {
			try(three, "bfs", "multi", map[string]string{"transfer": transfer, "exchange": exchange, "overlap": fmt.Sprint(transfer == "peer")})
		}
	}
	// Kernels with more parameters than any other. Those of two GPUs would wait for each other, which kernels of the fake driver cannot.
	one := openWhole(t, 1, hw.Options{})
	for _, algorithm := range []string{"bfs", "sssp", "pagerank"} {
		try(one, algorithm, "multi", map[string]string{"loop": "device", "block": "64", "blocks": "2"})
	}
	t.Setenv(fakecuda.NoPeers, "1")
	try(openWhole(t, 2, hw.Options{}), "bfs", "multi", nil)
}

// between returns the bytes that links between GPUs have carried.
func between(g *hw.Group) (sum uint64) {
	for _, l := range g.Links() {
		if l.From != "host" && l.To != "host" {
			sum += l.Bytes
		}
	}
	return sum
}
