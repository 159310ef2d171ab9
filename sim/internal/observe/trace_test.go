package observe

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/profile"
)

// TestBounds fills a trace with more than it can hold.
func TestBounds(t *testing.T) {
	into := profile.NewTrace(8, 16)
	tr := NewTrace(into, 0)
	next := uint64(0)
	for l := range 100 {
		tr.Begin(float64(l), 0, 1e-3)
		next = 0
		for next < 10_000 {
			next = tr.Sampled(next, profile.Sample{Instructions: next})
		}
		for b := range 40 {
			tr.BlockEnded("k", b, b%2, 0, 10, 20)
		}
		tr.Copy("", "x", false, 4, float64(l), float64(l))
		tr.LaunchEnded("k", 0, 40, 32, 0, 1000)
	}
	assert.Less(t, len(into.Samples), 8)
	assert.Less(t, len(into.Blocks), 16)
	assert.Less(t, len(into.Launches), 16)
	assert.Less(t, len(into.Copies), 16)
	assert.Greater(t, into.Interval, uint64(64))
	assert.Equal(t, 8, into.SpanStep)
	for i, l := range into.Launches {
		assert.Equal(t, 8*i, l.N)
		assert.Equal(t, float64(8*i), l.Start)
		assert.InDelta(t, float64(8*i)+1, l.End, 1e-9)
	}
	for i := 1; i < len(into.Samples); i++ {
		assert.Greater(t, into.Samples[i].At, into.Samples[i-1].At)
	}
}

// The zero trace has the limits of profile.NewTrace.
func TestZeroTrace(t *testing.T) {
	into := &profile.Trace{}
	NewTrace(into, 0).BlockEnded("k", 1, 0, 0, 0, 1)
	require.Len(t, into.Blocks, 1)
	assert.Equal(t, profile.DefaultSamples, into.MaxSamples)
	assert.Equal(t, profile.DefaultSpans, into.MaxSpans)
}

// Samples of all GPUs of a group become fewer alike.
func TestSamplesOfGroup(t *testing.T) {
	into := profile.NewTrace(8, 16)
	gpus := []*Trace{NewTrace(into, 0), NewTrace(into, 1)}
	for _, g := range gpus {
		g.Begin(0, 0, 1)
	}
	for i := range uint64(20) {
		for _, g := range gpus {
			g.Sampled(i, profile.Sample{})
		}
	}
	count := map[int]int{}
	for _, s := range into.Samples {
		count[s.GPU]++
	}
	require.Positive(t, count[0])
	require.InDelta(t, count[0], count[1], 1)
}
