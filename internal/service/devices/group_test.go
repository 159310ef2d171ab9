package devices

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// TestGroups checks the names of groups, with and without Options.GPUs.
func TestGroups(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(file, []byte("base: tiny\nvalues: {sm.count: 1}\n"), 0o600))
	for _, c := range []struct {
		name string
		gpus int
		want string
		n    int
		one  string
	}{
		{"func", 0, "func", 0, "func"},
		{"funcx2", 0, "funcx2", 2, "func"},
		{"funcx2", 2, "funcx2", 2, "func"},
		{"func", 16, "funcx16", 16, "func"},
		{"func", 1, "funcx1", 1, "func"},
		{"sim:tinyx2", 0, "sim:tinyx2", 2, "sim:tiny"},
		{"sim:tiny", 3, "sim:tinyx3", 3, "sim:tiny"},
		{"sim:" + file, 2, "sim:" + file + "x2", 2, "sim:" + file},
		{"hw", 0, "hw", 0, "hw"},
		{"hw:1", 0, "hw:1", 0, "hw:1"},
		{"hw:1,0", 0, "hw:1,0", 2, "hw:1,0"},
		{"hw", 3, "hw:0,1,2", 3, "hw"},
	} {
		s, err := New(c.name, Options{GPUs: c.gpus, Seed: 1})
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, s.Name)
		assert.Equal(t, c.n, s.GPUs, c.name)
		assert.Equal(t, c.one, s.One)
		assert.Equal(t, c.n > 0, s.Can().Has(device.Peers), c.name)
		if s.Can().Has(device.Silicon) {
			continue
		}
		d, err := s.Open(t.Context(), Watch{})
		require.NoError(t, err)
		assert.Equal(t, s.Can(), d.Capabilities(), c.name)
		g, ok := device.AsGroup(d)
		require.Equal(t, c.n > 0, ok, c.name)
		if ok {
			assert.Equal(t, c.n, g.GPUs())
			assert.Equal(t, c.want, d.Name())
		}
		if c.n > 1 {
			gpu, err := s.Record(t.Context())
			require.NoError(t, err)
			assert.Empty(t, gpu)
		}
		require.NoError(t, d.Close())
	}
}

func TestGroupErrors(t *testing.T) {
	before := families
	t.Cleanup(func() { families = before })
	Register(plaything("plaything"))
	for _, c := range []struct {
		name       string
		o          Options
		what, hint string
	}{
		{"func", Options{GPUs: 17}, "--gpus: 17 GPUs; a group has 1 to 16", ""},
		{"func", Options{GPUs: -2}, "--gpus: -2 GPUs; a group has 1 to 16", ""},
		{"funcx2", Options{GPUs: AutoGPUs}, "--gpus: only weft run chooses a number of GPUs", "write a number"},
		{"sim:tinyx17", Options{}, "device sim:tinyx17: 17 GPUs; a group has 1 to 16", ""},
		{"sim:tinyx0", Options{}, "device sim:tinyx0: 0 is not a number of GPUs", "write sim:tinyx2 for two"},
		{"sim:tinyx02", Options{}, "device sim:tinyx02: 02 is not a number of GPUs", "write sim:tinyx2 for two"},
		{"sim:tinyx99999999999999999999", Options{}, "device sim:tinyx99999999999999999999: 99999999999999999999 is not a number of GPUs", "write sim:tinyx2 for two"},
		{"funcx", Options{}, "device funcx: there is no number of GPUs after the x", "write funcx2 for two"},
		{"sim:tinyx2", Options{GPUs: 3}, "--gpus: 3 GPUs, but sim:tinyx2 has 2", "leave --gpus out"},
		{"hw:0,1", Options{GPUs: 3}, "--gpus: 3 GPUs, but hw:0,1 has 2", "leave --gpus out"},
		{"hw:1", Options{GPUs: 2}, "--gpus: hw:1 is one GPU", "name the GPUs, such as --device hw:0,1"},
		{"plaything", Options{GPUs: 2}, "--gpus: there are no groups of plaything", ""},
		{"playthingx2", Options{}, `unknown device "playthingx2"`, "did you mean plaything?"},
		{"hwx2", Options{}, `unknown device "hwx2"`, ""},
		{"sim:tinyx2x2", Options{}, `unknown device "sim:tinyx2x2"`, "did you mean sim:tiny?"},
		{"sim:tinyx2", Options{Control: &policy.Schedule{}}, "--schedule works on one GPU, and sim:tinyx2 is a group of 2", "write --device sim:tiny"},
		{"func", Options{GPUs: 2, Set: []string{"sm.count=2"}}, "--set: device funcx2 has no parameters", "name a simulated machine by --device, such as sim:h200"},
	} {
		_, err := New(c.name, c.o)
		var mistake *usage.Error
		require.ErrorAs(t, err, &mistake, c.name)
		assert.Equal(t, c.what, mistake.What.String())
		assert.Contains(t, mistake.Hint.String(), c.hint, c.name)
	}
	for _, p := range config.Presets() {
		if one, _, ok := cutGPUs(simPrefix + p); ok {
			assert.Nil(t, familyOf(one), "%s is the name of a group", p)
		}
	}
	s, err := New("sim:tinyx2", Options{})
	require.NoError(t, err)
	err = s.Single("weft launch")
	var mistake *usage.Error
	require.ErrorAs(t, err, &mistake)
	assert.EqualError(t, mistake, "weft launch uses one GPU, and sim:tinyx2 is a group of 2")
	assert.Equal(t, "write --device sim:tiny", mistake.Hint.String())
	s, err = New("func", Options{GPUs: 1})
	require.NoError(t, err)
	require.NoError(t, s.Single("weft launch"))
}

// TestPart names the first GPUs of groups, and says how much memory each has.
func TestPart(t *testing.T) {
	before := OpenGPUs
	t.Cleanup(func() { OpenGPUs = before })
	OpenGPUs = func(context.Context, []int, hw.Options) (device.Device, error) {
		return function.NewGroup(3, function.Options{})
	}
	for _, c := range []struct {
		name   string
		parts  []string
		memory uint64
	}{
		{"sim:tinyx4", []string{"sim:tiny", "sim:tinyx2", "sim:tinyx3", "sim:tinyx4"}, 1 << 30},
		{"funcx2", []string{"func", "funcx2"}, 0},
		{"hw:2,0,1", []string{"hw:2", "hw:2,0", "hw:2,0,1"}, 0}, // these tell nothing of their memory
	} {
		s, err := New(c.name, Options{})
		require.NoError(t, err)
		require.Equal(t, len(c.parts), s.GPUs)
		for i, want := range c.parts {
			assert.Equal(t, want, s.Part(i+1))
		}
		memory, err := s.Memory(t.Context())
		require.NoError(t, err)
		assert.Equal(t, c.memory, memory, c.name)
	}
	s, err := New("sim:tinyx2", Options{Set: []string{"dram.capacity=5"}})
	require.NoError(t, err)
	memory, err := s.Memory(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 5<<20, memory)
	OpenGPUs = func(context.Context, []int, hw.Options) (device.Device, error) { return nil, errors.New("no such GPU") }
	s, err = New("hw:0,1", Options{})
	require.NoError(t, err)
	_, err = s.Memory(t.Context())
	require.ErrorContains(t, err, "no such GPU")
}
