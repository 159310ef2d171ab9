package study

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
)

// TestCommunication checks that a row of several GPUs has what they sent each other.
func TestCommunication(t *testing.T) {
	s, err := Parse([]byte(`{title: t, repeat: 1, graphs: [{name: g, from: "grid:width=8"}], runs: [{algorithm: bfs, candidates: [{scheduler: multi}]}]}`))
	require.NoError(t, err)
	p := &Plan{Spec: s, Verify: VerifyAll, Log: io.Discard, Meta: func(device.Device) results.Meta { return results.Meta{} }, Save: func(*File) error { return nil }}
	p.Open = func(context.Context) (device.Device, error) { return function.NewGroup(2, function.Options{}) }
	p.Load = func(ctx context.Context, g Graph) (*graph.CSR, error) {
		csr, _, err := graph.Open(ctx, g.From, graph.LoadOptions{})
		return csr, err
	}
	f := &File{}
	missing, err := p.Run(t.Context(), f)
	require.NoError(t, err)
	require.Empty(t, missing)
	require.Empty(t, f.Rows[0].Error)
	require.NotNil(t, f.Rows[0].Communication)
	assert.Positive(t, f.Rows[0].Communication.Bytes())
	assert.Len(t, f.Rows[0].Communication.Pairs, 2)
}

// TestGroups checks that every row of the studies of several GPUs can be run, and that the one of all answers has every
// pair of an algorithm and a scheme for several GPUs.
func TestGroups(t *testing.T) {
	has := map[string]bool{}
	for _, name := range []string{"times.yaml", "answers.yaml", "scaling.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "results", "hw", "h200x2", name))
		require.NoError(t, err)
		s, err := Parse(text)
		require.NoError(t, err)
		require.NoError(t, s.Check())
		for _, r := range s.Runs {
			for _, c := range r.Candidates {
				has[name+" "+r.Algorithm+" "+c.Scheduler] = true
			}
		}
	}
	for _, e := range catalog.Entries() {
		if e.Scheduler.Groups {
			assert.True(t, has["answers.yaml "+e.Algorithm.Name+" "+e.Scheduler.Name], "%s by %s is missing in answers.yaml", e.Algorithm.Name, e.Scheduler.Name)
		}
	}
}
