package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPresetsLoad(t *testing.T) {
	limits := map[string][5]int{ // SMs, warps, blocks, shared memory bytes per SM, L2 bytes
		"h200": {132, 64, 32, 233472, 60 << 20},
		"v100": {80, 64, 32, 96 << 10, 6 << 20},
		"k40":  {15, 64, 16, 48 << 10, 1536 << 10},
		"tiny": {2, 32, 4, 32 << 10, 128 << 10},
		"h100": {132, 64, 32, 233472, 50 << 20},
		"a100": {108, 64, 32, 164 << 10, 40 << 20},
		"p100": {56, 64, 32, 64 << 10, 4 << 20},
		"k20":  {13, 64, 16, 48 << 10, 1280 << 10},

		"gtx780ti": {15, 64, 16, 48 << 10, 1536 << 10},
		"gtx780":   {12, 64, 16, 48 << 10, 1536 << 10},
	}
	for name := range limits {
		g, err := Load(name)
		require.NoError(t, err)
		assert.Equal(t, limits[name], [5]int{g.SM.Count, g.SM.Warps, g.SM.Blocks, g.SM.SharedBytes, g.L2.Bytes}, name)
		assert.NotEmpty(t, g.Title)
		assert.Equal(t, g.Title, Title(name))
	}
	_, err := Load("h300")
	assert.EqualError(t, err, `unknown machine "h300"; there are `+strings.Join(Presets(), ", "))
	for _, family := range []string{"base", "kepler"} {
		_, err = Load(family)
		assert.Error(t, err, "%s is no machine", family)
	}
	for name := range limits { // including the K20, for which SIMD-X gives another value
		g, err := Load(name)
		require.NoError(t, err)
		if name != "tiny" {
			assert.Equal(t, 65536, g.SM.Registers, name)
		}
	}
}

// TestNewPreset checks that a file in the folder is a preset, without a list to which it must be added.
func TestNewPreset(t *testing.T) {
	files, err := os.ReadDir("presets")
	require.NoError(t, err)
	families := 0
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".yaml")
		p, ok := folder()[name]
		require.True(t, ok, "%s is not embedded", f.Name())
		require.NoError(t, p.err, f.Name())
		if p.family {
			families++
		}
		assert.NotEqual(t, p.family, slices.Contains(Presets(), name), name)
	}
	assert.Len(t, files, len(Presets())+families)

	sub, err := fs.Sub(embedded, "presets")
	require.NoError(t, err)
	with := func(name, text string) presetFolder {
		all := fstest.MapFS{name: &fstest.MapFile{Data: []byte(text)}}
		for _, f := range files {
			b, err := fs.ReadFile(sub, f.Name())
			require.NoError(t, err)
			all[f.Name()] = &fstest.MapFile{Data: b}
		}
		return readFolder(all)
	}
	all := with("mine.yaml", "title: mine\nyear: 2030\nbase: h200\nvalues:\n  sm.count: {value: 7, unit: SM, source: ours}\n")
	assert.Equal(t, append([]string{"mine"}, Presets()...), all.machines())
	g, err := all.load("mine")
	require.NoError(t, err)
	assert.Equal(t, 7, g.SM.Count)
	assert.Equal(t, "mine", g.Title)

	for text, want := range map[string]string{
		"title: x\nbase: nowhere\n": `presets/mine.yaml:2:7: base: unknown machine "nowhere"; there are `,
		"title: x\nbase: mine\n":    `presets/mine.yaml:2:7: base: "mine" is its own base: mine, mine`,
		"title: x\nyears: 3\n":      `presets/mine.yaml:2:1: unknown key "years"; did you mean year?`,
		"title: x\nfamily: true\n":  `unknown machine "mine"; there are `,
		"title: x\nvalues: {}\n":    "presets/mine.yaml: no value for clock.sm, clock.l2, sm.count and ",
		"base: h200\nvalues:\n  sm.count: {value: 7, unit: block, source: ours}\n": `presets/mine.yaml:3:30: sm.count: unit "block"; write SM`,
		"base: h200\nvalues:\n  sm.count: {value: 7, unit: SM}\n":                  `presets/mine.yaml:3:3: sm.count has unit "SM" and source "", want unit "SM" and a source`,
		"base: h200\nvalues:\n  sm.count: 7\n":                                     `presets/mine.yaml:3:3: sm.count has unit "" and source "", want unit "SM" and a source`,
	} {
		_, err := with("mine.yaml", text).load("mine")
		require.Error(t, err, text)
		assert.True(t, strings.HasPrefix(err.Error(), want), "%v\nwant %s", err, want)
	}
}

func TestEveryParameterIsDescribed(t *testing.T) {
	ps := Parameters()
	require.NotEmpty(t, ps)
	for _, p := range ps {
		assert.NotEmpty(t, p.Unit, p.Path)
		assert.NotEmpty(t, p.Doc, p.Path)
		assert.NotEmpty(t, p.Range(), p.Path)
		for _, name := range Presets() {
			assert.NotEmpty(t, p.Values[name].Value, "%s of %s", p.Path, name)
			assert.NotEmpty(t, p.Values[name].Source, "%s of %s", p.Path, name)
		}
		if p.Unit != "bool" && p.Unit != "policy" {
			assert.Less(t, p.Min, p.Max, p.Path)
		}
	}
}

func TestBandwidthOfDataSheets(t *testing.T) {
	for name, gbs := range map[string]float64{
		"h200": 4800, "h100": 3350, "a100": 1555, "v100": 900, "p100": 732,
		"k40": 288, "k20": 208, "gtx780ti": 336, "gtx780": 288.4,
	} {
		g, err := Load(name)
		require.NoError(t, err)
		assert.InEpsilon(t, gbs, g.DRAM.Bandwidth, 0.003, name)
	}
}

func TestSet(t *testing.T) {
	g, err := Load("tiny")
	require.NoError(t, err)
	require.NoError(t, g.Set("sm.count", "16"))
	require.NoError(t, g.Set("atomic.step", "2.5"))
	require.NoError(t, g.Set("l1.global", "false"))
	require.NoError(t, g.Set("issue.scheduler", "lrr"))
	assert.Equal(t, 16, g.SM.Count)
	assert.Equal(t, 2.5, g.Atomic.Step)
	assert.False(t, g.L1.GlobalOn)
	require.NoError(t, g.Validate())
	v, err := g.Get("atomic.step")
	require.NoError(t, err)
	assert.Equal(t, "2.5", v)

	other, err := Load("tiny")
	require.NoError(t, err)
	assert.Equal(t, 2, other.SM.Count, "presets are not shared")

	for _, c := range []struct{ path, value, want string }{
		{"sm.cuont", "3", `unknown parameter "sm.cuont"; nearest: sm.count (SM, 1 to 1024), `},
		{"l1.latncy", "3", `nearest: l1.latency (cycle, 1 to 2000), l2.latency (L2 cycle, 1 to 2000), `},
		{"latncy", "3", `nearest: tensor.latency (cycle, 0 to 2000), cluster.latency (cycle, 1 to 10000), shared.latency (cycle, 1 to 2000)`},
		{"L1.Latency", "3", `nearest: l1.latency (cycle, 1 to 2000), `},
		{"sm.divergance", "its", `nearest: sm.divergence (policy, stack or its), `},
		{"sm.count", "0", `parameter sm.count: "0" is not a value in SM from 1 to 1024 (streaming multiprocessors)`},
		{"sm.count", "many", `"many" is not a value in SM`},
		{"atomic.step", "NaN", `from 0.125 to 1000`},
		{"l1.global", "7", `true or false`},
		{"issue.scheduler", "fair", `gto or lrr or oldest or random`},
	} {
		assert.ErrorContains(t, g.Set(c.path, c.value), c.want)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{"sm.warps", "33", "sm.warps (33) is not a multiple of sm.subcores (4)"},
		{"sm.threads", "4096", "sm.threads (4096) is more than 32 for each of sm.warps (32)"},
		{"l2.bytes", "4096", "holds less than one set"},
		{"l2.interleave", "300", "not a power of two"},
		{"l1.unified", "true", "l1.bytes (8192) is not more than sm.shared_bytes (32768), which it includes; set l1.unified to false for an L1 beside shared memory, or sm.shared_bytes and sm.shared_block to less"},
		{"l2.slices", "3", "l2.slices (3) is not even, with l2.partitions (2)"},
		{"l2.page", "5000", "l2.page (5000) is not a power of two that holds l2.interleave (512)"},
		{"l2.interleave", "8192", "l2.page (4096) is not a power of two that holds l2.interleave (8192)"},
		{"l2.spread", "300", "l2.spread (300) is not less than twice l2.latency (80)"},
		{"l2.far", "130", "l2.far (130) is more than l2.latency (80) less half of l2.spread (0), and xbar.reply (40)"},
	} {
		g, err := Load("tiny")
		require.NoError(t, err)
		g.L2.Partitions = 2
		require.NoError(t, g.Set(c.path, c.value))
		assert.ErrorContains(t, g.Validate(), c.want)
	}
	g, err := Load("tiny")
	require.NoError(t, err)
	g.SM.Count = -1
	assert.ErrorContains(t, g.Validate(), "sm.count", "ranges are checked too")
}

func TestDistance(t *testing.T) {
	assert.Equal(t, 3, distance("kitten", "sitting"))
	assert.Equal(t, 0, distance("a", "a"))
	assert.Equal(t, 2, distance("", "ab"))
}

// TestFitted checks that every value whose source speaks of a fit or of a measurement of ours says what it was fitted
// to, unless it is a fact about a board; and that records that are named exist.
func TestFitted(t *testing.T) {
	facts := []string{"clock.sm", "clock.l2", "sm.count", "sm.barriers", "sm.shared_bytes", "sm.shared_block", "sm.shared_reserve", "l2.bytes", "dram.channels"}
	speaks := regexp.MustCompile(`fitted|measured on (an|two)|part of the .* latency of|figure [0-9]`)
	n := 0
	for _, p := range Parameters() {
		for machine, v := range p.Values {
			if v.Fitted != "" {
				n++
				for _, file := range regexp.MustCompile(`results/[\w./-]+\w`).FindAllString(v.Fitted, -1) {
					_, err := os.Stat(filepath.Join("../..", file))
					assert.NoError(t, err, "%s of %s", p.Path, machine)
				}
				assert.NotContains(t, v.Source, "estimate", "%s of %s", p.Path, machine)
				continue
			}
			if speaks.MatchString(v.Source) && !slices.Contains(facts, p.Path) && p.kind != reflect.String && !strings.Contains(v.Source, "estimate") {
				t.Errorf("%s of %s: %q has no fitted:", p.Path, machine, v.Source)
			}
		}
	}
	assert.Greater(t, n, 100)
	g, err := Load("gtx780ti")
	require.NoError(t, err)
	assert.Equal(t, "WolfGraph, figure 5.3", g.Origin("shared.lock_hold").Fitted)
	assert.Contains(t, g.Origin("shared.lock_hold").Origin(), "; fitted to WolfGraph, figure 5.3")
	require.NoError(t, g.Set("shared.lock_hold", "8"))
	assert.Empty(t, g.Origin("shared.lock_hold").Fitted)
}
