package calibration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// h200 is the record that the tests change.
const h200 = "../../../results/hw/h200"

// altered returns a folder with the record of an H200 after a change of its table.
func altered(t *testing.T, change func([]results.Micro) []results.Micro) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h200, tableFile))
	require.NoError(t, err)
	var list []results.Micro
	require.NoError(t, json.Unmarshal(text, &list))
	folder := t.TempDir()
	text, err = json.Marshal(change(list))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, tableFile), text, 0o600))
	text, err = os.ReadFile(filepath.Join(h200, metaFile))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, metaFile), text, 0o600))
	return folder
}

// TestRead reads the record of an H200.
func TestRead(t *testing.T) {
	r, err := Read(t.Context(), h200)
	require.NoError(t, err)
	assert.Equal(t, "NVIDIA H200", r.Meta.GPU)
	assert.InDelta(t, 41.76, r.rows["latency: dependent load, plain, L1, 16 KiB"].Median, 0.01)
}

// TestReadRefuses checks the words for each kind of table that is refused.
func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func([]results.Micro) []results.Micro
		want   string
	}{
		"missing":      {func(l []results.Micro) []results.Micro { return l[1:] }, `: no row "latency: dependent load, plain, L1, 16 KiB", to which l1.latency is fitted`},
		"unknown":      {func(l []results.Micro) []results.Micro { l[3].Name = "a guess"; return l }, `: unknown row "latency: a guess": another version of weft has recorded it`},
		"twice":        {func(l []results.Micro) []results.Micro { return append(l, l[0]) }, `: row "latency: dependent load, plain, L1, 16 KiB" is there twice`},
		"another unit": {func(l []results.Micro) []results.Micro { l[0].Unit = "ns"; return l }, `: row "latency: dependent load, plain, L1, 16 KiB" is in ns, and not in cycle`},
		"nothing":      {func(l []results.Micro) []results.Micro { l[0].Median = 0; return l }, `: row "latency: dependent load, plain, L1, 16 KiB" is 0`},
		"another table": {func([]results.Micro) []results.Micro {
			return []results.Micro{{Group: "host", Name: "launch of an empty kernel", Unit: "us", Median: 7}}
		}, ` is no table of micro-kernels: none of its 1 rows is one`},
	} {
		folder := altered(t, c.change)
		_, err := Read(t.Context(), folder)
		require.ErrorContains(t, err, filepath.Join(folder, tableFile)+c.want, name)
	}
	_, err := Read(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "has no table of micro-kernels: micro.json is not there")
	_, err = Read(t.Context(), filepath.Join(h200, tableFile))
	require.EqualError(t, err, filepath.Join(h200, tableFile)+" is no folder of weft record")
	folder := altered(t, func(l []results.Micro) []results.Micro { return l })
	require.NoError(t, os.Remove(filepath.Join(folder, metaFile)))
	_, err = Read(t.Context(), folder)
	require.ErrorContains(t, err, "has no description of a record: meta.json is not there")
	require.NoError(t, os.WriteFile(filepath.Join(folder, tableFile), []byte(`{"rows": []}`), 0o600))
	_, err = Read(t.Context(), folder)
	require.ErrorContains(t, err, "micro.json is no table of micro-kernels: json: cannot unmarshal object")
}

// TestFailedRow checks that a row which a small GPU could not run is no reason to refuse the others.
func TestFailedRow(t *testing.T) {
	_, err := Read(t.Context(), altered(t, func(l []results.Micro) []results.Micro {
		l[2].Error, l[2].Median = "out of memory", 0
		return l
	}))
	require.NoError(t, err)
}

// TestFactsOfRTX checks what follows from the properties of a GPU, which are those of an RTX 4090 as its whitepaper and the CUDA
// documentation have them.
func TestFactsOfRTX(t *testing.T) {
	r := &Recording{Folder: "rtx", Meta: results.Meta{GPU: "NVIDIA GeForce RTX 4090", SMs: 128, ClockMHz: 2520, MemoryMHz: 10501, Properties: &results.Properties{Capability: "8.9", Threads: 1536,
		Blocks: 24, Registers: 65536, SharedBytes: 100 << 10, SharedBlock: 99 << 10, SharedReserve: 1024, L2Bytes: 72 << 20, BusBits: 384, Memory: 24 << 30}}}
	got := map[string]string{}
	for _, f := range r.facts() {
		got[f.parameter] = f.value
	}
	for parameter, value := range map[string]string{"sm.count": "128", "clock.sm": "2520", "sm.warps": "48", "sm.threads": "1536", "l1.bytes": "131072", "l2.bytes": "75497472", "dram.capacity": "24576",
		"dram.channels": "6", "dram.bandwidth": "1008"} {
		assert.Equal(t, value, got[parameter], parameter)
	}
	base, err := r.Base()
	require.NoError(t, err)
	assert.Equal(t, "a100", base)
	r.Meta.Properties.Capability = "12.0"
	base, err = r.Base()
	require.NoError(t, err)
	assert.Equal(t, "h200", base)
	r.Meta.Properties = nil
	_, err = r.Base()
	require.EqualError(t, err, "rtx/meta.json does not say the GPU's compute capability, by which the base is chosen")
	assert.Len(t, r.facts(), 4)
}

// TestFactsOfBase checks that what a base does not have is not taken, and that the user has the last word.
func TestFactsOfBase(t *testing.T) {
	r := &Recording{Folder: "old", Meta: results.Meta{GPU: "Tesla P100", SMs: 56, ClockMHz: 1328, Properties: &results.Properties{Capability: "6.0", Threads: 2048, Blocks: 32, SharedBytes: 64 << 10, SharedBlock: 48 << 10}}}
	for base, want := range map[string]string{"p100": "", "a100": "98304"} {
		g, err := config.Load(base)
		require.NoError(t, err)
		c := &calibrator{Request: Request{Recording: r, Base: base, Set: []string{"sm.count=60"}}, set: map[string]string{}}
		facts, err := c.facts(g)
		require.NoError(t, err)
		assert.Equal(t, want, c.set["l1.bytes"], base)
		assert.Equal(t, "60", c.set["sm.count"], base)
		assert.Contains(t, facts, Fact{"sm.count", map[string]string{"p100": "56", "a100": "108"}[base], "60", "SM", "said by --set"})
	}
}
