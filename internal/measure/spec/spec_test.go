package spec_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/spec"
)

// points returns the points as texts "name=value name=value".
func points(s *spec.Spec) (list []string) {
	for _, p := range s.Points {
		var words []string
		for _, x := range p.Settings {
			words = append(words, x.Name+"="+x.Value)
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

func TestPoints(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"crossed":    {"set: {device: func}\nvary:\n  algorithm: [bfs, sssp]\n  scheduler: [warp, thread]", []string{"device=func algorithm=bfs scheduler=warp", "device=func algorithm=bfs scheduler=thread", "device=func algorithm=sssp scheduler=warp", "device=func algorithm=sssp scheduler=thread"}},
		"zipped":     {"vary: {a.b: 1:2:1}\nzip: {sm.count: [16, 32], l2.slices: [12, 24]}", []string{"a.b=1 sm.count=16 l2.slices=12", "a.b=1 sm.count=32 l2.slices=24", "a.b=2 sm.count=16 l2.slices=12", "a.b=2 sm.count=32 l2.slices=24"}},
		"where":      {"vary: {s: [x, y], n: 1:3:1}\nwhere: [s != x or n = 2, n >= 2]", []string{"s=x n=2", "s=y n=2", "s=y n=3"}},
		"pattern":    {"vary: {graph: [rmat:scale=3, grid:width=4, a:b:c]}\nwhere: graph ~ rmat*", []string{"graph=rmat:scale=3"}},
		"parts":      {"set: {device: func, n: 1}\nruns:\n  - set: {scheduler: warp}\n  - set: {scheduler: wolf, n: 2}\n    vary: {param.mode: [shared, direct]}\n  - {set: {scheduler: warp}}", []string{"device=func n=1 scheduler=warp", "device=func scheduler=wolf n=2 param.mode=shared", "device=func scheduler=wolf n=2 param.mode=direct"}},
		"braces":     {"vary: {graph: 'rmat:scale={10:12:2},degree={4,8}'}", []string{"graph=rmat:scale=10,degree=4", "graph=rmat:scale=10,degree=8", "graph=rmat:scale=12,degree=4", "graph=rmat:scale=12,degree=8"}},
		"as written": {"set: {n: 010, x: 1e3, y: true, z: 'a b', w: '1:2'}", []string{"n=010 x=1e3 y=true z=a b w=1:2"}},
	} {
		s, err := spec.Parse("dir/study.yaml", []byte(c.text), nil)
		require.NoError(t, err, name)
		require.Equal(t, c.want, points(s), name)
		require.Equal(t, "study", s.Name)
		require.Equal(t, 1, s.Repeat)
	}
}

func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"66:198:66": "66 132 198", "1:64:*2": "1 2 4 8 16 32 64", "0.1:0.5:0.1": "0.1 0.2 0.3 0.4 0.5", "5:1:-2": "5 3 1", "1:10:4": "1 5 9", "7": "7", "sim:h200": "sim:h200",
		"{1:3:1}x{a,b}": "1xa 1xb 2xa 2xb 3xa 3xb", "": "",
	} {
		got, err := spec.Values(text)
		require.NoError(t, err, text)
		require.Equal(t, want, strings.Join(got, " "), text)
	}
	for text, want := range map[string]string{
		"1:2:0":              `"1:2:0": the step is 0`,
		"3:1:1":              `"3:1:1": the range is empty`,
		"1:3:-1":             `"1:3:-1": the range is empty`,
		"0:8:*2":             `"0:8:*2": a range by factors starts above 0 and has a factor above 1`,
		"1.1.1:2:1":          `"1.1.1:2:1": "1.1.1" is not a number`,
		"a{b":                `"a{b" has an open brace and none that closes it`,
		"1:1000000:1":        `"1:1000000:1" has more than 100000 values`,
		"a{1:2:0}":           `"1:2:0": the step is 0`,
		"{1:999:1}{1:999:1}": `"{1:999:1}{1:999:1}" has more than 100000 values`,
	} {
		_, err := spec.Values(text)
		require.EqualError(t, err, want)
	}
}

func TestMistakes(t *testing.T) {
	check := func(name, value string) error {
		if name == "algorithm" && value != "bfs" {
			return fmt.Errorf("unknown algorithm %q; there is: bfs", value)
		}
		return nil
	}
	for text, want := range map[string]string{
		"":                           "x.yaml: is empty; write set: and vary: with settings, such as algorithm: [bfs, sssp]",
		"- a":                        "x.yaml:1:1: a list, not a study; write set: and vary: with settings, such as algorithm: [bfs, sssp]",
		"set: [a]":                   "x.yaml:1:6: a list, not settings with their values, such as algorithm: bfs",
		"vary:\n  a: []":             "x.yaml:2:6: a: an empty list",
		"vary:\n  a: [1, [2]]":       "x.yaml:2:10: a: a list, not one value",
		"set:\n  a: 1:3:1":           "x.yaml:2:3: a has 3 values; several belong under vary:",
		"vary: {a: 1}\nvary: {a: 2}": `x.yaml:2:1: "vary" a second time; the first is in line 1`,
		"set: {a: 1}\nvary: {a: 2}":  "x.yaml:2:8: a a second time; the first is in line 1",
		"zip: {a: [1, 2], b: [1]}":   "x.yaml:1:18: b has 1 values and a 2; under zip: they go together",
		"vary: {a: [1, 2], b: [1, 2]}\nwhere: a = 1 and b != 2":  "x.yaml:2:8: where: \"a = 1 and b != 2\" is two conditions; write a list, of which all hold: [a = 1, b = 2]",
		"set: {algorithm: [bfs, bsf]}\nwhere: n":                 "x.yaml:1:7: algorithm has 2 values; several belong under vary:\nx.yaml:1:24: unknown algorithm \"bsf\"; there is: bfs\nx.yaml:2:8: where: \"n\" is not NAME OPERATOR VALUE; the operators are = != < <= > >= and ~ for patterns with * and ?; \" or \" separates alternatives",
		"set: {a: 1}\nwhere: b = 1":                              "x.yaml:2:8: where: no setting is called b; did you mean a?",
		"set: {a: 1}\nwhere: a = 2":                              "x.yaml: has no points: the conditions of where: exclude all",
		"set: {sm.count: 1, s: w}\nwhere: s != w or sm.cout = 1": "x.yaml:2:8: where: no setting is called sm.cout; did you mean sm.count?",
		"runs:\n  - set: {a: 1}\n    where: b = 1":               "x.yaml:3:12: where: no setting of this part is called b; did you mean a?",
		"set: {a: 1}\nwhere: a ~ '['":                            `x.yaml:2:8: where: "a ~ '['": "'['" is not a pattern with * and ?`,
		"algorithm: bfs":                                         `x.yaml:1:1: unknown key "algorithm"; settings belong under set: or vary:`,
		"varies: {a: 1}":                                         `x.yaml:1:1: unknown key "varies"; there are name, doc, set, vary, zip, where, runs, repeat, graphs, plots, claims, problems, others`,
		"run: []":                                                `x.yaml:1:1: unknown key "run"; did you mean runs?`,
		"runs: {a: 1}":                                           "x.yaml:1:7: runs: a mapping, not a list of parts, each with set, vary, zip or where",
		"runs:\n  - {repeat: 2}":                                 `x.yaml:2:6: unknown key "repeat"; there are set, vary, zip, where`,
		"set: {a: 1}\nrepeat: x":                                 `x.yaml:2:9: repeat: "x" is not a number from 1 to 10,000`,
		"set: {a: 1}\nname: a/b":                                 `x.yaml:2:7: name: "a/b"; use letters, digits, -, _ and .`,
		"zip: {a: [1, 2], b: [3, 4]}\nruns: [{set: {a: 5}}]":     "x.yaml:2:15: a is also under zip: of the whole study, together with others",
		"vary: {a: '1:1000:1', b: '1:1000:1', c: [1, 2]}":        "x.yaml:1:1: more than 1000000 points",
		"vary: {a: '{1'}":                                        `x.yaml:1:11: a: "{1" has an open brace and none that closes it`,
		"set:\n\ta: 1":                                           "x.yaml:2:1: a tab; indent with spaces",
		"set: {a: 1}\nplots: [a]":                                "x.yaml:2:9: a string, not a mapping with one plot",
	} {
		_, err := spec.Parse("x.yaml", []byte(text), check)
		require.EqualError(t, err, want, text)
		var errs spec.Errors
		require.True(t, errors.As(err, &errs))
	}
	_, err := spec.Load(t.Context(), filepath.Join(t.TempDir(), "none.yaml"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSections(t *testing.T) {
	s, err := spec.Parse("x.yaml", []byte("name: n-1\ndoc: what\nrepeat: 3\nset: {a: 1}\nplots:\n  - {kind: lines, where: [a = 1, b = 2]}\nclaims:\n  - text: it is so\n"), nil)
	require.NoError(t, err)
	require.Equal(t, "n-1", s.Name)
	require.Equal(t, 3, s.Repeat)
	require.Equal(t, []spec.Section{{"x.yaml:6:5", []spec.Setting{{"kind", "lines", "x.yaml:6:12"}, {"where", "a = 1", "x.yaml:6:27"}, {"where", "b = 2", "x.yaml:6:34"}}}}, s.Plots)
	require.Equal(t, "it is so", s.Claims[0].Values[0].Value)
}

func TestCross(t *testing.T) {
	s, err := spec.Cross("bfs", []spec.Setting{{"algorithm", "bfs", "ALGORITHM"}, {"l2.latency", "66:132:66", "--set"}, {"scheduler", "warp", "--scheduler"}, {"scheduler", "thread", "--scheduler"}}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"algorithm=bfs l2.latency=66 scheduler=warp", "algorithm=bfs l2.latency=66 scheduler=thread", "algorithm=bfs l2.latency=132 scheduler=warp", "algorithm=bfs l2.latency=132 scheduler=thread"}, points(s))
	again, err := spec.Parse("bfs.yaml", []byte(s.Text), nil)
	require.NoError(t, err, "the text is a specification")
	require.Equal(t, points(s), points(again))
	_, err = spec.Cross("bfs", []spec.Setting{{"l2.latency", "9:1:1", "--set"}}, nil)
	require.EqualError(t, err, `--set: "9:1:1": the range is empty`)
	_, err = spec.Cross("bfs", []spec.Setting{{"x", "1", "--set"}}, func(name, _ string) error { return fmt.Errorf("no setting %s", name) })
	require.EqualError(t, err, "--set: no setting x")
	_, err = spec.Parse("x.yaml", []byte("runs: [{set: {a: 1}}, {set: {b: 1}}]\nwhere: b != 2"), nil)
	require.NoError(t, err, "a setting of one part")
	_, err = spec.Parse("x.yaml", []byte("set: {x: 1}"), func(name, _ string) error {
		return usage.Errorf("did you mean y?\nthere are: y", "no setting %s", name)
	})
	require.EqualError(t, err, "x.yaml:1:10: no setting x; did you mean y?")
}

func FuzzParse(f *testing.F) {
	f.Add("vary: {a: [1, 2], b: 1:3:1}\nwhere: a = 1 or b < 2")
	f.Add("runs: [{set: {a: 1}}, {zip: {b: [1, 2], c: [3, 4]}}]\nplots: [{x: y}]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := spec.Parse("f.yaml", []byte(text), nil)
		if err == nil {
			require.NotEmpty(t, s.Points)
			seen := map[string]bool{}
			for _, p := range s.Points {
				require.False(t, seen[p.Key()])
				seen[p.Key()] = true
			}
		}
	})
}

// TestTooMuch has files that would take minutes or all memory.
func TestTooMuch(t *testing.T) {
	lines := func(head string, n int, line string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	unknown := func(name, _ string) error { return fmt.Errorf("unknown setting %s", name) }
	began := time.Now()
	for want, text := range map[string]string{
		"s.yaml:2:3: more than 2000 settings":                                                         lines("vary:\n", 2001, "  k%d: [1, 2]\n"),
		"s.yaml:1:10: a: \"{1:100000:1,1:100000:1,1:100000:1,1:1000\" has more than 100000 values":    "set: {a: '{" + strings.Repeat("1:100000:1,", 1000) + "}'}",
		"s.yaml:1:10: a: \"{a}{a}{a}{a}{a}{a}{a}{a}{a}{a}{a}{a}{a}{\" has more than 16384 characters": "set: {a: '" + strings.Repeat("{a}", 10000) + "'}",
		"s.yaml:3:7: a has more than 100000 values":                                                   "vary:\n  a: [1:100000:1,\n      1:100000:1]",
		"s.yaml:1:1: more than 20000000 settings of all points together":                              lines("vary: {a: 1:1000:1, b: 1:1000:1}\nset:\n", 19, "  k%d: 1\n"),
	} {
		_, err := spec.Parse("s.yaml", []byte(text), nil)
		assert.EqualError(t, err, want)
	}
	_, err := spec.Parse("s.yaml", []byte(lines("vary:\n", 1500, "  k%d: 1\n")), unknown)
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), "s.yaml:2:7: unknown setting k0\n"), err.Error())
	assert.True(t, strings.HasSuffix(err.Error(), "\nand 80 more"), err.Error())
	assert.Less(t, time.Since(began), 20*time.Second)

	large := filepath.Join(t.TempDir(), "large.yaml")
	require.NoError(t, os.WriteFile(large, make([]byte, 257<<10), 0o666))
	_, err = spec.Load(t.Context(), large, nil)
	require.EqualError(t, err, large+" is larger than 256 KiB")
	_, err = spec.Load(t.Context(), "/dev/zero", nil)
	require.EqualError(t, err, "/dev/zero is a device")
	_, err = spec.Load(t.Context(), t.TempDir(), nil)
	require.ErrorContains(t, err, " is a directory")
}

// TestGraphs checks the graphs to which a specification gives names.
func TestGraphs(t *testing.T) {
	s, err := spec.Parse("x.yaml", []byte("graphs:\n  a: {graph: a.mtx, symmetrize: true, vertices: 3}\n  b c: {graph: demo, arcs: 7}\nset: {graph: a}\n"), nil)
	require.NoError(t, err)
	require.Equal(t, []spec.Graph{
		{Name: "a", Place: "x.yaml:2:3", Settings: []spec.Setting{{Name: "graph", Value: "a.mtx", Place: "x.yaml:2:14"}, {Name: "symmetrize", Value: "true", Place: "x.yaml:2:33"}}, Vertices: 3},
		{Name: "b c", Place: "x.yaml:3:3", Settings: []spec.Setting{{Name: "graph", Value: "demo", Place: "x.yaml:3:16"}}, Arcs: 7},
	}, s.Graphs)
	require.Equal(t, "b c", s.Graph("b c").Name)
	require.Nil(t, s.Graph("c"))
	for text, want := range map[string]string{
		"a: {symmetrize: true}":         "x.yaml:2:3: graphs: a needs graph:, a file, a generator or demo",
		"a: {graph: demo, seed: 1}":     `x.yaml:2:20: unknown key "seed"; a graph has graph, symmetrize, drop-isolated, permute, power, format, weights, vertices and arcs`,
		"a: {graph: demo, vertices: x}": `x.yaml:2:30: vertices: "x" is not a number of at least 1`,
		"a: {graph: demo, arcs: 0}":     `x.yaml:2:26: arcs: "0" is not a number of at least 1`,
		"a: demo":                       `x.yaml:2:6: a string, not a graph, such as {graph: road.gr.gz, symmetrize: true}`,
	} {
		_, err := spec.Parse("x.yaml", []byte("graphs:\n  "+text+"\nset: {graph: a}\n"), nil)
		require.ErrorContains(t, err, want, text)
	}
}

// TestKeepAndSet checks what a command line adds to a specification.
func TestKeepAndSet(t *testing.T) {
	s, err := spec.Parse("x.yaml", []byte("name: x\nvary: {a: [1, 2, 3], b: [u, v]}\n"), nil)
	require.NoError(t, err)
	require.NoError(t, s.Keep("a >= 2"))
	require.NoError(t, s.Keep("a = 2 or b = v"))
	require.Len(t, s.Points, 3)
	require.EqualError(t, s.Keep("c = 1"), "no setting of x is called c; did you mean a?")
	require.ErrorContains(t, s.Keep("a"), `"a" is not NAME OPERATOR VALUE`)
	require.NoError(t, s.Set(spec.Setting{Name: "device", Value: "func", Place: "--device"}))
	for _, p := range s.Points {
		device, _ := p.Get("device")
		require.Equal(t, "func", device)
	}
	require.EqualError(t, s.Set(spec.Setting{Name: "b", Value: "w"}), "x.yaml:2:26 has b already")
	require.EqualError(t, s.Keep("a > 3"), `"a > 3" holds for no point of x`)
}
