package record

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/kernels/litmus"
	"github.com/weft-gpu/weft/results"
)

// TestLitmus records the tests on a device that obeys the memory model, and reads the record back. Package
// litmus tests the tests themselves.
func TestLitmus(t *testing.T) {
	var log bytes.Buffer
	p := &Plan{Out: t.TempDir(), Log: &log, Repeats: 1, litmusSeeds: 2, Meta: results.Meta{GPU: "none", Date: "today"}}
	require.NoError(t, p.write("meta.json", p.Meta))
	bad, err := p.litmus(t.Context(), function.New(function.Options{}))
	require.NoError(t, err)
	require.Zero(t, bad, log.String())
	h, err := results.LoadFS("x", os.DirFS(p.Out))
	require.NoError(t, err)
	require.Equal(t, "today", h.Litmus.Date)
	require.Equal(t, 2, h.Litmus.Seeds)
	require.Len(t, h.Litmus.Outcomes, len(litmus.Tests()))
	for _, x := range litmus.Tests() {
		require.Positive(t, litmus.Histogram(h.Litmus.Outcomes[x.Name()]).Total(), x.Name())
	}
}

// TestForbidden checks that an outcome that PTX forbids is reported as a wrong answer.
func TestForbidden(t *testing.T) {
	var log bytes.Buffer
	p := &Plan{Log: &log}
	x := litmus.Tests()[0]
	x.Weak, x.Why, x.Forbidden = "1:r0=1", "they are ordered", true
	require.True(t, p.keepsModel(x, litmus.Histogram{"1:r0=0": 3}))
	require.Empty(t, log.String())
	require.False(t, p.keepsModel(x, litmus.Histogram{"1:r0=0": 3, "1:r0=1": 2}))
	require.Equal(t, "litmus: "+x.Name()+": 2 of 5 show 1:r0=1, which PTX forbids: they are ordered\n", log.String())
	x.Forbidden = false
	require.True(t, p.keepsModel(x, litmus.Histogram{"1:r0=1": 2}))
}
