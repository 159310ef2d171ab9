package record

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
	"github.com/weft-gpu/weft/results"
)

// TestLitmus records the tests on a device that obeys the memory model, and reads the record back. Package
// ptxlitmus/run tests the tests themselves.
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
	tests, err := ptxlitmus.Shapes()
	require.NoError(t, err)
	require.Len(t, h.Litmus.Outcomes, len(tests))
	for _, x := range tests {
		total := 0
		for _, n := range h.Litmus.Outcomes[x.Name] {
			total += n
		}
		require.GreaterOrEqual(t, total, 2*litmusInstances, x.Name)
	}
}

// forgetting is a device on which all registers of litmus tests end as 0.
type forgetting struct{ device.Device }

// Read reads zeros from the buffer of the registers.
func (f forgetting) Read(b device.Buffer, to any) error {
	err := f.Device.Read(b, to)
	if words, ok := to.([]uint32); ok && b.Name == "out" {
		clear(words)
	}
	return err
}

// TestForbidden checks that an outcome that PTX forbids is reported as a wrong answer: the device loses what was read,
// so that store buffering appears although fence.sc excludes it.
func TestForbidden(t *testing.T) {
	var log bytes.Buffer
	p := &Plan{Out: t.TempDir(), Log: &log, Repeats: 1, litmusSeeds: 2}
	bad, err := p.litmus(t.Context(), forgetting{function.New(function.Options{})})
	require.NoError(t, err)
	require.Contains(t, log.String(), "litmus: SB+SC: 560 of 560 instances show what the PTX model forbids\n")
	require.NotContains(t, log.String(), "litmus: SB+Plain:")
	require.Positive(t, bad)
}
