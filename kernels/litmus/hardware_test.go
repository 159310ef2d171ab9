//go:build !kernel

package litmus_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/kernels/litmus"
)

var (
	recordTo = flag.String("record", "", "write what the GPU shows to this file")
	seeds    = flag.Int("seeds", 20, "launches of each test on the GPU")
)

// recorded is what results/hw/GPU/litmus.json holds.
type recorded struct {
	GPU       string                      `json:"gpu"`
	CUDA      int                         `json:"cuda"` // version of the driver, 1000*major + 10*minor
	Date      string                      `json:"date"`
	Command   string                      `json:"command"`
	Seeds     int                         `json:"seeds"`     // launches of each test
	Instances int                         `json:"instances"` // at most, of a launch
	Outcomes  map[string]litmus.Histogram `json:"outcomes"`  // by test
}

// silicon is what an H200 showed.
func silicon(t testing.TB) (rec recorded) {
	data, err := os.ReadFile("../../results/hw/h200/litmus.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &rec))
	return rec
}

// TestSiliconKeepsTheModel: on an H200 no outcome appeared that PTX forbids.
// This holds the recording against the verdicts of Tests, and that it is of
// all tests.
func TestSiliconKeepsTheModel(t *testing.T) {
	rec := silicon(t)
	for _, x := range litmus.Tests() {
		h := rec.Outcomes[x.Name()]
		require.Greater(t, h.Total(), 10_000, x.Name())
		if x.Forbidden {
			assert.Zero(t, h[x.Weak], "%s excludes %s (%s): %v", x.Name(), x.Weak, x.Why, h)
		}
	}
	assert.Len(t, rec.Outcomes, len(litmus.Tests()))
}

func TestMain(m *testing.M) {
	hw.MaybeChild()
	os.Exit(m.Run())
}

// TestOnGPU: where there is a GPU, outcomes that PTX forbids never appear on it.
func TestOnGPU(t *testing.T) {
	d, err := hw.Open("hw", 0, hw.Options{})
	if hw.IsMissing(err) {
		t.Skip(err)
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	r := litmus.Runner{Device: d, Kernels: kernels(t), Instances: 256}
	rec := recorded{
		GPU: d.Info().Name, CUDA: d.Info().DriverVersion, Date: time.Now().UTC().Format(time.RFC3339), Command: strings.Join(os.Args, " "),
		Seeds: *seeds, Instances: r.Instances, Outcomes: map[string]litmus.Histogram{},
	}
	for _, x := range litmus.Tests() {
		h, err := r.Run(context.Background(), x, 1, *seeds)
		require.NoError(t, err)
		rec.Outcomes[x.Name()] = h
		if x.Forbidden {
			assert.Zero(t, h[x.Weak], "%s excludes %s (%s): %v", x.Name(), x.Weak, x.Why, h)
		}
		t.Log(x.Name(), h[x.Weak], "weak of", h.Total())
	}
	if *recordTo != "" {
		data, err := json.MarshalIndent(rec, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(*recordTo, append(data, '\n'), 0o644))
	}
}
