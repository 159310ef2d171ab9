package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// write creates files in a new folder and makes it the current directory.
func write(t testing.TB, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	t.Chdir(dir)
}

const mine = `# a comment
title: mine
base: tiny
values:
  sm.count: 16          # another
  clock.sm: 1.98 GHz
  dram.bandwidth: {value: 4.8, unit: TB/s, source: a data sheet}
  "l2.bytes": "1 MiB"
  issue.scheduler: {value: lrr, source: ours}
`

func TestFile(t *testing.T) {
	write(t, map[string]string{"mine.yaml": mine, "over.yaml": "base: ./mine.yaml\nvalues: {sm.count: 4, dram.latency: 0.2 us}\n"})
	g, err := Load("./mine.yaml")
	require.NoError(t, err)
	want, err := Load("tiny")
	require.NoError(t, err)
	want.SM.Count, want.Clock.SM, want.DRAM.Bandwidth, want.L2.Bytes, want.Issue.Scheduler = 16, 1980, 4800, 1<<20, "lrr"
	assert.Equal(t, want.Values(), g.Values())
	assert.Equal(t, [2]string{"./mine.yaml", "mine"}, [2]string{g.Name, g.Title})

	sources := map[string]Sourced{}
	for _, p := range g.Parameters() {
		sources[p.Path] = p.Values["./mine.yaml"]
	}
	assert.Equal(t, Sourced{Value: "16", Source: "", At: "./mine.yaml:5:3"}, sources["sm.count"])
	assert.Equal(t, Sourced{Value: "4800", Source: "a data sheet", At: "./mine.yaml:7:3"}, sources["dram.bandwidth"])
	assert.Equal(t, Sourced{Value: "1000", Source: "ours: a cycle is a nanosecond", At: ""}, sources["clock.l2"])
	assert.Equal(t, "./mine.yaml:5:3", sources["sm.count"].Origin())
	assert.Equal(t, "a data sheet (./mine.yaml:7:3)", sources["dram.bandwidth"].Origin())

	over, err := Load("over.yaml")
	require.NoError(t, err)
	assert.Equal(t, "based on mine", over.Title)
	want.SM.Count, want.DRAM.Latency = 4, 200
	assert.Equal(t, want.Values(), over.Values())
	require.NoError(t, over.Set("sm.count", "5"))
	assert.Equal(t, "set", over.Parameters()[2].Values["over.yaml"].Origin())
}

// TestBadFiles has every mistake that a file may contain, with the exact message.
func TestBadFiles(t *testing.T) {
	write(t, map[string]string{
		"a.yaml": "base: b.yaml\n", "b.yaml": "title: b\nbase: ./a.yaml\n", "self.yaml": "base: self.yaml\n",
		"slices.yaml": "base: tiny\nvalues:\n  l2.partitions: 2\n",
		"family.yaml": "family: true\nbase: tiny\n",
		"broken.yaml": "base: tiny\nvalues: {sm.count: 0}\n",
	})
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "x.yaml: is empty; write base: h200 and, under values:, the parameters that differ"},
		{"comments", "# nothing\n---\n", "x.yaml: is empty; write base: h200 and, under values:, the parameters that differ"},
		{"binary", "base: \xff\xfe\n", "x.yaml: is not UTF-8 text"},
		{"list", "- base: h200\n", "x.yaml:1:1: a list, not a machine; write base: h200 and, under values:, the parameters that differ"},
		{"word", "h200\n", "x.yaml:1:1: a string, not a machine; write base: h200 and, under values:, the parameters that differ"},
		{"syntax", "base: tiny\nvalues: {sm.count: 4\n", "x.yaml:2:9: could not find flow mapping end token '}'"},
		{"indent", "base: tiny\n\tvalues: 3\n", "x.yaml:2:1: a tab; indent with spaces"},
		{"outdent", "base: tiny\nvalues:\n  sm.warps: 8\n sm.count: 3\n", "x.yaml:4:2: value is not allowed in this context; lines below values: have the same indentation, such as two spaces"},
		{"far from any name", "base: tiny\nvalues:\n  l1.size: 3\n", `x.yaml:3:3: unknown parameter "l1.size"; group l1 has l1.bytes, l1.unified, l1.ways, l1.latency, l1.mshrs, l1.global, l1.carve_out, l1.index, l1.reserve, l1.replacement`},
		{"brackets", "base: tiny\nvalues: " + strings.Repeat("[", 65), "x.yaml: has more than 64 open brackets; is it a machine?"},
		{"many", strings.Repeat("a: b\n", 23), "x.yaml:1:1: unknown key \"a\"; there are title, base, year, family, values\n" + seconds(2, 20) + "and 3 more"},
		{"documents", "base: tiny\n---\nbase: tiny\n", "x.yaml:3:1: a second document; a file describes one machine"},
		{"key", "bsae: tiny\n", `x.yaml:1:1: unknown key "bsae"; did you mean base?`},
		{"no key", "machine: tiny\n", `x.yaml:1:1: unknown key "machine"; there are title, base, year, family, values`},
		{"misplaced", "base: tiny\nsm.count: 3\nsm: {count: 3}\n", "x.yaml:2:1: unknown key \"sm.count\"; parameters belong under values:\n" +
			"x.yaml:3:1: unknown key \"sm\"; parameters belong under values:"},
		{"twice", "base: tiny\ntitle: a\nbase: h200\nvalues:\n  sm.count: 1\n  sm.count: 2\n", "x.yaml:3:1: \"base\" a second time; the first is in line 1\n" +
			"x.yaml:6:3: \"sm.count\" a second time; the first is in line 5"},
		{"parameter", "base: tiny\nvalues:\n  sm.cuont: 3\n", `x.yaml:3:3: unknown parameter "sm.cuont"; nearest: sm.count (SM, 1 to 1024), sm.warps (warp, 1 to 256), sm.blocks (block, 1 to 256)`},
		{"group", "base: tiny\nvalues:\n  sm:\n    count: 3\n", "x.yaml:3:3: sm is a group of parameters; write each with its whole name, such as sm.count"},
		{"range", "base: tiny\nvalues:\n  sm.count: 0\n", `x.yaml:3:13: parameter sm.count: "0" is not a value in SM from 1 to 1024 (streaming multiprocessors)`},
		{"no number", "base: tiny\nvalues:\n  sm.count: true\n", `x.yaml:3:13: parameter sm.count: "true" is not a value in SM from 1 to 1024 (streaming multiprocessors)`},
		{"not whole", "base: tiny\nvalues:\n  sm.count: 2.5\n", `x.yaml:3:13: parameter sm.count: "2.5" is not a value in SM from 1 to 1024 (streaming multiprocessors)`},
		{"not finite", "base: tiny\nvalues:\n  dram.latency: .inf\n  dram.row_miss: .nan\n  dram.row_cycle: 1e99\n", "x.yaml:3:17: parameter dram.latency: \".inf\" is not a value in ns from 1 to 5000 (latency from the L2 slice and back if the row is open)\n" +
			"x.yaml:4:18: parameter dram.row_miss: \".nan\" is not a value in ns from 0 to 5000 (additional latency to open a row)\n" +
			"x.yaml:5:19: parameter dram.row_cycle: \"1e99\" is not a value in ns from 0 to 5000 (minimum time between opening two rows of one bank)"},
		{"no bool", "base: tiny\nvalues:\n  l1.global: 7\n", `x.yaml:3:14: parameter l1.global: "7" is not true or false (plain loads of global memory are cached)`},
		{"no policy", "base: tiny\nvalues:\n  launch.order: widest\n", `x.yaml:3:17: parameter launch.order: "widest" is not breadth or depth or random (block dispatch: breadth (round robin over the SMs), depth (fill one SM before the next), random (any SM with room, seeded), or a registered policy)`},
		{"wrong unit", "base: tiny\nvalues:\n  clock.sm: 3 ns\n", `x.yaml:3:13: parameter clock.sm: "3 ns" is not a value in MHz from 1 to 100000 (clock of the SMs with their L1 and shared memory; times with the unit cycle are in cycles of this clock); a unit is one of MHz, kHz, GHz`},
		{"unit of letters alike", "base: tiny\nvalues:\n  l1.bytes: 64 KB\n  sm.count: 4 cores\n", `x.yaml:3:13: parameter l1.bytes: "64 KB" is not a value in byte from 1024 to 1048576 (capacity; including shared memory if unified); a unit is one of byte, B, kB, KiB, MB, MiB, GB, GiB` +
			"\n" + `x.yaml:4:13: parameter sm.count: "4 cores" is not a value in SM from 1 to 1024 (streaming multiprocessors); its unit is SM`},
		{"wrong unit apart", "base: tiny\nvalues:\n  clock.sm: {value: 3, unit: ns}\n", `x.yaml:3:30: clock.sm: unit "ns"; write MHz, kHz, GHz`},
		{"unit twice", "base: tiny\nvalues:\n  clock.sm: {value: 3 GHz, unit: GHz}\n", `x.yaml:3:21: parameter clock.sm: "3 GHz GHz" is not a value in MHz from 1 to 100000 (clock of the SMs with their L1 and shared memory; times with the unit cycle are in cycles of this clock); a unit is one of MHz, kHz, GHz`},
		{"no value", "base: tiny\nvalues:\n  sm.count:\n  sm.warps: {unit: warp}\n", "x.yaml:3:12: sm.count: nothing, not one value\n" +
			"x.yaml:4:13: sm.warps has no value; write {value: ..., unit: warp, source: ...}"},
		{"value of parts", "base: tiny\nvalues:\n  sm.count: [1, 2]\n  sm.warps: {value: {}, unti: warp}\n", "x.yaml:3:13: sm.count: a list, not one value\n" +
			"x.yaml:4:21: sm.warps: a mapping, not one value\n" +
			"x.yaml:4:25: sm.warps: unknown key \"unti\"; there are value, unit, source, fitted, differs"},
		{"values of parts", "base: tiny\nvalues: [1]\n", "x.yaml:2:9: a list, not parameters with their values, such as sm.count: 16"},
		{"anchors", "base: &b tiny\ntitle: *b\nvalues:\n  <<: {sm.count: 3}\n  sm.warps: !!int 3\n", "x.yaml:1:7: base: an anchor, alias or tag (not supported), not one value\n" +
			"x.yaml:2:8: title: an anchor, alias or tag (not supported), not one value\n" +
			"x.yaml:4:3: an anchor, alias or tag (not supported) as a key; write a name\n" +
			"x.yaml:5:13: sm.warps: an anchor, alias or tag (not supported), not one value"},
		{"facts", "base: [tiny]\nyear: soon\nfamily: maybe\n", "x.yaml:1:7: base: a list, not one value\n" +
			"x.yaml:2:7: year: \"soon\" is not a year\n" +
			"x.yaml:3:9: family: \"maybe\" is not true or false"},
		{"base", "base: h300\n", `x.yaml:1:7: base: unknown machine "h300"; there are ` + strings.Join(Presets(), ", ") + `, base, kepler, and files (./my.yaml)`},
		{"base and value", "base: h300\nvalues: {sm.count: 0}\n", `x.yaml:1:7: base: unknown machine "h300"; there are ` + strings.Join(Presets(), ", ") + `, base, kepler, and files (./my.yaml)` +
			"\n" + `x.yaml:2:20: parameter sm.count: "0" is not a value in SM from 1 to 1024 (streaming multiprocessors)`},
		{"no base", "title: x\nvalues: {sm.count: 3}\n", fmt.Sprintf("x.yaml: no value for clock.sm, clock.l2, sm.subcores and %d more; name a base, such as base: h200", len(table())-4)},
		{"family", "family: true\nbase: tiny\n", "x.yaml: family: true marks values that several machines share, not a machine; use it as the base of another file"},
		{"base file", "base: ./none.yaml\n", `x.yaml:1:7: base: "none.yaml": no such file or directory`},
		{"base folder", "base: ./\n", `x.yaml:1:7: base: ".": is a directory`},
		{"base of base", "base: broken.yaml\n", `broken.yaml:2:20: parameter sm.count: "0" is not a value in SM from 1 to 1024 (streaming multiprocessors)`},
		{"circle", "title: x\nbase: a.yaml\n", `b.yaml:2:7: base: "./a.yaml" is its own base: x.yaml, a.yaml, b.yaml, a.yaml`},
		{"own base", "base: ./x.yaml\n", `x.yaml:1:7: base: "./x.yaml" is its own base: x.yaml, x.yaml`},
		{"contradiction", "base: tiny\nvalues:\n  sm.warps: 33\n  sm.subcores: 5\n", "x.yaml:3:3: sm.warps (33) is not a multiple of sm.subcores (5, x.yaml:4:3)\n" +
			"x.yaml:4:3: sm.registers (32768, from preset tiny) is not a multiple of sm.subcores (5)"},
		{"contradiction with the base", "base: slices.yaml\nvalues:\n  l2.slices: 3\n", "x.yaml:3:3: l2.slices (3) is not even, with l2.partitions (2, slices.yaml:3:3)"},
	} {
		require.NoError(t, os.WriteFile("x.yaml", []byte(c.text), 0o600))
		_, err := Load("x.yaml")
		assert.EqualError(t, err, c.want, c.name)
	}
	for name, want := range map[string]string{
		"./none.yaml": "machine ./none.yaml: no such file or directory",
		"./":          "machine ./: is a directory",
		"/dev/null":   "machine /dev/null: is no regular file",
	} {
		_, err := Load(name)
		assert.EqualError(t, err, want)
	}
	require.NoError(t, os.WriteFile("large.yml", bytes.Repeat([]byte("# long\n"), maxBytes/7+1), 0o600))
	_, err := Load("large.yml")
	assert.EqualError(t, err, "machine large.yml: is larger than 64 KiB")
}

// seconds are the messages for a key that is repeated in the lines from to to.
func seconds(from, to int) string {
	var s strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&s, "x.yaml:%d:1: \"a\" a second time; the first is in line 1\n", i)
	}
	return s.String()
}

// TestSetOnFile checks that messages name values that were set after a file was read as set.
func TestSetOnFile(t *testing.T) {
	write(t, map[string]string{"x.yaml": "base: tiny\nvalues:\n  sm.warps: 16\n  sm.threads: 512\n  sm.block_threads: 512\n"})
	g, err := Load("x.yaml")
	require.NoError(t, err)
	require.NoError(t, g.Set("sm.subcores", "3"))
	require.NoError(t, g.Set("sm.block_threads", "1000"))
	assert.EqualError(t, g.Validate(), "x.yaml:3:3: sm.warps (16) is not a multiple of sm.subcores (3, set)\n"+
		"x.yaml:4:3: sm.block_threads (1000, set) is more than sm.threads (512)\n"+
		"machine x.yaml: sm.registers (32768, from preset tiny) is not a multiple of sm.subcores (3, set)")
}

func TestQuantities(t *testing.T) {
	g, err := Load("tiny")
	require.NoError(t, err)
	for _, c := range []struct{ path, text, want string }{
		{"clock.sm", "1.98 GHz", "1980"}, {"clock.sm", "1.98GHz", "1980"}, {"clock.sm", "1755000 kHz", "1755"}, {"clock.sm", "1.755e3", "1755"},
		{"dram.bandwidth", "4.8 TB/s", "4800"}, {"dram.bandwidth", "4.9152 TB/s", "4915.2"}, {"dram.bandwidth", "512 MB/s", ""},
		{"l2.bytes", "60 MiB", "62914560"}, {"l2.bytes", "50 MB", "50000000"}, {"l2.bytes", "0.5 KiB", ""}, {"l2.bytes", "4.5 KiB", "4608"}, {"l2.bytes", "4.0001 KiB", ""},
		{"dram.capacity", "141 GiB", "144384"}, {"dram.capacity", "141 GB", ""}, {"dram.latency", "0.3 us", "300"}, {"dram.latency", "0.3 µs", "300"},
		{"launch.kernel", "2200 ns", "2.2"}, {"launch.kernel", "1 ms", "1000"},
		{"sm.count", "16 SM", "16"}, {"sm.count", "16 SMs", "16"}, {"sm.count", "1.6e1", "16"}, {"l2.latency", "90 L2 cycles", "90"}, {"l2.latency", "90 cycles", ""},
		{"sm.count", "0x10", ""}, {"sm.count", "1_0", ""}, {"sm.count", "+16", "16"}, {"sm.count", "-16", ""}, {"sm.count", "", ""}, {"sm.count", "SM", ""},
		{"sm.count", "1e999", ""}, {"dram.latency", "inf", ""}, {"dram.latency", "." + strings.Repeat("1", 100), ""},
	} {
		err := g.Set(c.path, c.text)
		if c.want == "" {
			assert.ErrorContains(t, err, "is not a value in", c.text)
			continue
		}
		if assert.NoError(t, err) {
			v, err := g.Get(c.path)
			assert.NoError(t, err)
			assert.Equal(t, c.want, v, c.text)
		}
	}
}

// TestEffective compares a whole machine with a golden file, and checks that it reads back as the same machine.
func TestEffective(t *testing.T) {
	golden := "testdata/mine.yaml"
	if !*update {
		text, err := os.ReadFile(golden)
		require.NoError(t, err)
		golden = string(text)
	}
	file, err := filepath.Abs("testdata/mine.yaml")
	require.NoError(t, err)
	write(t, map[string]string{"mine.yaml": mine})
	g, err := Load("mine.yaml")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, g.WriteYAML(&b))
	var got strings.Builder
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "  #") { // meanings are reworded; ranges have tests of their own
			got.WriteString(line)
		}
	}
	assert.Contains(t, b.String(), "\n  # streaming multiprocessors [1 to 1024]\n  sm.count: ")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
		return
	}
	assert.Equal(t, golden, got.String())
}

func TestRoundTrip(t *testing.T) {
	write(t, map[string]string{"mine.yaml": mine})
	for _, name := range append(Presets(), "mine.yaml") {
		g, err := Load(name)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, g.WriteYAML(&b))
		require.NoError(t, os.WriteFile("whole.yaml", b.Bytes(), 0o600))
		back, err := Load("whole.yaml")
		require.NoError(t, err, name)
		assert.Equal(t, g.Values(), back.Values(), name)
		assert.Equal(t, g.Title, back.Title)
		assert.Equal(t, g.Hash(), back.Hash(), name)
	}
}

// TestRenamed reads a machine of an older Weft, whose parameter has another name today.
func TestRenamed(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("old.yaml", []byte("base: tiny\nvalues: {fence.store: 77}\n"), 0o600))
	g, err := Load("old.yaml")
	require.NoError(t, err)
	assert.Equal(t, 77, g.Fence.Access)
	for old, now := range renamed {
		_, err := g.Get(old)
		require.NoError(t, err)
		assert.False(t, slices.ContainsFunc(Parameters(), func(p Parameter) bool { return p.Path == old }), old)
		assert.True(t, slices.ContainsFunc(Parameters(), func(p Parameter) bool { return p.Path == now }), now)
	}
}

// TestHash checks that a hash depends on the values of the parameters only, and never changes.
func TestHash(t *testing.T) {
	hash := func(text string) string {
		require.NoError(t, os.WriteFile("x.yaml", []byte(text), 0o600))
		g, err := Load("x.yaml")
		require.NoError(t, err)
		return g.Hash()
	}
	write(t, nil)
	tiny, err := Load("tiny")
	require.NoError(t, err)
	assert.Equal(t, "2f8b31bfd7a8215a", tiny.Hash(), "new parameters change it; nothing else may")
	for _, same := range []string{
		"base: tiny\n", "# a comment\ntitle: another\nbase: tiny\nvalues:\n",
		"base: tiny\nvalues: {sm.count: {value: 2, source: guessed}}\n", "base: tiny\nvalues: {clock.sm: 1 GHz}\n",
	} {
		assert.Equal(t, tiny.Hash(), hash(same), same)
	}
	// A machine without launches from the device has the hash that it had before there was this parameter.
	assert.NotEqual(t, tiny.Hash(), hash("base: tiny\nvalues: {launch.device: 1}\n"))
	seen := map[string]string{}
	for _, p := range table() {
		g, err := Load("tiny")
		require.NoError(t, err)
		was, err := g.Get(p.Path)
		require.NoError(t, err)
		for _, v := range []string{"1", "2", "64", "100", "128", "3000", "10000", "true", "false", "its", "lrr", "depth", "ir", "sass", "fifo", "modulo", "hash", "mask", "ample", "h200", "pcie3", "all-to-all"} {
			if g.Set(p.Path, v) == nil {
				if now, err := g.Get(p.Path); err == nil && now != was {
					break
				}
			}
		}
		if v, err := g.Get(p.Path); assert.NoError(t, err) && p.Path != "atomic.unit" { // it has one value
			assert.NotEqual(t, was, v, p.Path)
			assert.Empty(t, seen[g.Hash()], p.Path)
			seen[g.Hash()] = p.Path
		}
	}
}
