package devices

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// TestOpened checks that a device has the capabilities and the name that its
// family promises.
func TestOpened(t *testing.T) {
	assert.Contains(t, Names(), Default)
	for _, info := range List() {
		s, err := New(info.Name, Options{Seed: 1})
		require.NoError(t, err)
		if s.Can().Has(device.Silicon) {
			continue // the package's own tests open it, if there is one
		}
		d, err := s.Open(t.Context(), Watch{})
		require.NoError(t, err)
		assert.Equal(t, s.Can(), d.Capabilities())
		assert.Equal(t, info.Name, d.Name())
		_, simulated := d.(Simulated)
		assert.Equal(t, s.Can().Has(device.CycleLevel), simulated)
		require.NoError(t, d.Close())
	}
}

// TestOpenedCopy checks that a copy of a device opens as the copy says, and the original as before.
func TestOpenedCopy(t *testing.T) {
	for _, name := range []string{Func, "sim:tiny"} {
		s, err := New(name, Options{Seed: 1})
		require.NoError(t, err)
		changed := *s
		changed.GPUs = 2
		d, err := changed.Open(t.Context(), Watch{})
		require.NoError(t, err)
		group, ok := device.AsGroup(d)
		require.True(t, ok, name)
		assert.Equal(t, 2, group.GPUs())
		require.NoError(t, d.Close())
		d, err = s.Open(t.Context(), Watch{})
		require.NoError(t, err)
		_, ok = device.AsGroup(d)
		assert.False(t, ok, name)
		require.NoError(t, d.Close())
	}
}

// TestNeeds checks the messages about missing capabilities.
func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		name       string
		o          Options
		what, hint string
	}{
		{"func", Options{Set: []string{"sm.count=2"}}, "--set: device func has no parameters", "name a simulated machine by --device, such as sim:h200"},
		{"hw:1", Options{Set: []string{"sm.count=2"}}, "--set: device hw:1 has no parameters", "name a simulated machine by --device, such as sim:h200"},
		{"sim:tiny", Options{Set: []string{"sm.count"}}, `--set: "sm.count" is not PARAMETER=VALUE`, "write --set PARAMETER=VALUE,..., such as --set sm.count=16,l2.latency=200"},
		{"sim:tiny", Options{Check: true}, "--check: device sim:tiny always checks, and detects hangs itself", "name a real GPU by --device hw or hw:1"},
		{"func", Options{Deadline: 1}, "--deadline: device func always checks, and detects hangs itself", "name a real GPU by --device hw or hw:1"},
		{"hw", Options{Deadline: -1}, "--deadline: -1ns is negative", ""},
		{"sim:tiny", Options{Threads: -2}, "--threads: -2 is negative", ""},
		{"hw", Options{Budget: 1}, "--budget: device hw does not support a budget", "end a kernel there by --deadline, such as --deadline 5s"},
		{"hw", Options{Race: true}, "--race: device hw cannot look for data races", "name a simulated machine by --device, such as sim:h200"},
		{"sim:tiny", Options{Unwritten: true}, "--allow-unwritten: device sim:tiny does not detect reads of memory that no thread has written", "name the functional executor by --device func"},
	} {
		_, err := New(c.name, c.o)
		var mistake *usage.Error
		require.ErrorAs(t, err, &mistake, "%+v", c)
		assert.Equal(t, c.what, mistake.What.String())
		assert.Equal(t, c.hint, mistake.Hint.String())
	}
	s, err := New(Func, Options{})
	require.NoError(t, err)
	assert.NoError(t, s.Need("run", device.Counters))
	assert.EqualError(t, s.Need("--pprof", device.Profile), "--pprof: device func does not show where its time goes")
	for _, name := range []string{"hw:x", "hw:-1", "hw:", "hw:0,", "hw:0,x", "sim:", "sim", "h200", "func:1", ""} {
		_, err := New(name, Options{})
		assert.ErrorContains(t, err, "unknown device", name)
	}
}

// TestRecordedRegisters checks that every GPU whose registers were recorded can
// be named in sm.registers_from, and that its own preset names it. A folder of records
// must not change them: here it has no record of the GPU at all.
func TestRecordedRegisters(t *testing.T) {
	t.Setenv(results.Variable, t.TempDir())
	for _, gpu := range results.GPUs() {
		g, err := config.Load(gpu)
		require.NoError(t, err)
		assert.Equal(t, gpu, g.SM.RegistersFrom)
		h, err := results.Load(gpu)
		require.NoError(t, err)
		require.NotEmpty(t, h.Kernels)
		require.NotNil(t, recordedRegisters(gpu))
		assert.Equal(t, h.Kernels[0].Registers, recordedRegisters(gpu)(h.Kernels[0].Name))
		require.Greater(t, len(h.Needs), 900, gpu)
		registers := recordedRegisters(gpu)
		for _, k := range h.Needs {
			require.Equal(t, k.Registers, registers(k.Kernel), k.Kernel)
		}
	}
	assert.Nil(t, recordedRegisters("estimate"))
}

func TestMachineFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(file, []byte("base: tiny\nvalues: {sm.count: 5}\n"), 0o600))
	s, err := New("sim:"+file, Options{Set: []string{"sm.warps=16,sm.threads=512,sm.block_threads=512"}})
	require.NoError(t, err)
	n, ok := s.Number("sm.count")
	assert.True(t, ok)
	assert.Equal(t, 5.0, n)
	values, hash := s.Machine()
	assert.Equal(t, []any{5, 16}, []any{values["sm.count"], values["sm.warps"]})
	assert.Len(t, hash, 16)
	assert.Equal(t, []string{file}, s.Files())
	gpu, err := s.Record(t.Context())
	require.NoError(t, err)
	assert.Empty(t, gpu, "no GPU is like it")
	d, err := s.Open(t.Context(), Watch{})
	require.NoError(t, err)
	assert.Equal(t, "sim:"+file, d.Name())
	require.NoError(t, d.Close())

	_, err = New(file, Options{})
	assert.EqualError(t, err, "unknown device "+strconv.Quote(file))
	t.Chdir(filepath.Dir(file))
	for _, name := range []string{"sim:mine", "mine"} {
		_, err = New(name, Options{})
		var mistake *usage.Error
		require.ErrorAs(t, err, &mistake)
		assert.EqualError(t, mistake, "unknown device "+strconv.Quote(name))
		assert.Equal(t, "did you mean sim:./mine.yaml?", mistake.Hint.String())
	}
	_, err = New("sim:./none.yaml", Options{})
	assert.EqualError(t, err, "machine ./none.yaml: no such file or directory")

	s, err = New(Func, Options{})
	require.NoError(t, err)
	values, hash = s.Machine()
	assert.Nil(t, values)
	assert.Empty(t, hash)
	assert.Empty(t, s.Files())
	require.Len(t, More(), 2)
	assert.Contains(t, More()[0], "sim:./my.yaml")
}

func TestNumber(t *testing.T) {
	s, err := New("sim:tiny", Options{Set: []string{"sm.count=3"}})
	require.NoError(t, err)
	n, ok := s.Number("sm.count")
	assert.True(t, ok)
	assert.Equal(t, 3.0, n)
	assert.Equal(t, map[string]string{"sm.count": "3"}, s.Overrides())
	for _, path := range []string{"sm.divergence", "sm.nothing"} {
		_, ok = s.Number(path)
		assert.False(t, ok, path)
	}
	gpu, err := s.Record(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "tiny", gpu)

	f, err := New(Func, Options{})
	require.NoError(t, err)
	_, ok = f.Number("sm.count")
	assert.False(t, ok)
	gpu, err = f.Record(t.Context())
	require.NoError(t, err)
	assert.Empty(t, gpu)
	assert.Nil(t, f.Overrides())
}

// plaything returns a family with one device, which is func under another name.
func plaything(name string) Family {
	return Family{
		Name: name, Phrase: usage.Plain("name a toy by --device " + name), Can: device.Counters,
		List: func() []Info { return []Info{{Name: name, What: "a toy"}} },
		Configure: func(s *Spec) error {
			s.open = func(context.Context, *Spec, Watch) (device.Device, error) { return nil, nil }
			return nil
		},
	}
}

func TestRegister(t *testing.T) {
	before := families
	t.Cleanup(func() { families = before })
	Register(plaything("plaything"))
	assert.Contains(t, Names(), "plaything")
	s, err := New("plaything", Options{})
	require.NoError(t, err)
	assert.EqualError(t, s.Need("--all", device.Clock), "--all: device plaything has no clock")
	assert.PanicsWithValue(t, `devices: there are two families "plaything"`, func() { Register(plaything("plaything")) })
	assert.PanicsWithValue(t, `devices: there are two families "func"`, func() { Register(plaything(Func)) })
}

// TestGPUNumbers checks which GPUs a name means.
func TestGPUNumbers(t *testing.T) {
	for name, want := range map[string][]int{"hw": {0}, "hw:3": {3}, "hw:0,1": {0, 1}, "hw:2,0": {2, 0}, "sim:h200": nil, "hw0": nil, "hw:1,,2": nil} {
		assert.Equal(t, want, GPUNumbers(name), name)
	}
	assert.Equal(t, 3, GPUIndex("hw:3"))
	assert.Equal(t, -1, GPUIndex("hw:0,1"))
}
