//go:build !kernel

package attention_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/kernels/attention"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// problems have rows that are no multiple of a block, fewer stages than blocks of keys and more, and scores that make all sums so far smaller in no block but the first, in each, or in the last.
func problems() []*problem {
	return []*problem{
		{heads: 2, queries: 64, keys: 200, width: 64, group: 64, block: 64, stages: 2, scores: last},
		{heads: 1, queries: 100, keys: 256, width: 64, group: 128, block: 64, stages: 3, scores: rising},
		{heads: 1, queries: 64, keys: 40, width: 64, group: 64, block: 64, stages: 8, scores: even},
		{heads: 1, queries: 64, keys: 257, width: 64, group: 64, block: 128, stages: 2, scores: high},
		{heads: 1, queries: 72, keys: 256, width: 128, group: 64, block: 64, stages: 2, scores: rising},
		{heads: 2, queries: 140, keys: 140, width: 64, causal: true, group: 128, block: 64, stages: 2, scores: even},
		{heads: 1, queries: 130, keys: 256, width: 64, causal: true, group: 64, block: 128, stages: 4, scores: rising},
	}
}

func compiler() *compile.Compiler {
	c := compile.New()
	c.Mount(attention.Sources.Path, attention.Sources.Files)
	return c
}

// TestNative runs both kernels as plain Go.
func TestNative(t *testing.T) {
	for _, p := range problems() {
		p.fill()
		require.Empty(t, p.wrong(p.native(t), true))
		out := make([]float32, len(p.q))
		plain := attention.Plain[[16]float32]
		if p.width == 128 {
			plain = attention.Plain[[32]float32]
		}
		require.NoError(t, gpu.Launch(p.plainGrid(), attention.PlainThreads, func(th gpu.Thread) {
			plain(th, p.q, p.k, p.v, out, uint32(p.queries), uint32(p.keys), scale, p.causal)
		}, gpu.DynamicSharedBytes(int(attention.PlainBytes(uint32(p.width))))))
		require.Empty(t, p.wrong(out, false))
	}
}

// TestDevices runs both kernels on func and on a strict simulated H200, with checks for races.
func TestDevices(t *testing.T) {
	c := compiler()
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	for _, p := range problems() {
		p.fill()
		races := device.NewRaces()
		run := func(d device.Device, err error) (cycles uint64) {
			require.NoError(t, err)
			out, cycles, err := p.on(t, c, d)
			require.NoError(t, err, "%v", p)
			require.Empty(t, p.wrong(out, true))
			out, _ = p.plainOn(t, c, d)
			require.Empty(t, p.wrong(out, false))
			require.NoError(t, d.Close())
			return cycles
		}
		run(function.New(function.Options{}), nil)
		run(function.New(function.Options{Races: races}), nil)
		one := run(sim.New(cfg, sim.Options{Strict: true, Threads: 1}))
		assert.Equal(t, one, run(sim.New(cfg, sim.Options{Races: races, Threads: 2})), "threads that simulate")
		require.Empty(t, races.List(), "%v", p)
	}
}

// TestPlanted leaves out or changes what the kernel needs: func finds each by a wrong result, a fault or a race.
func TestPlanted(t *testing.T) {
	text := map[string]string{}
	for _, name := range []string{"attention.go", "row.go", "work.go"} {
		data, err := fs.ReadFile(attention.Sources.Files, name)
		require.NoError(t, err)
		text[name] = string(data)
	}
	for _, c := range []struct {
		what, found, file string
		change            []string
	}{
		{"sums that stay when a row has a larger score", "query 0,", "attention.go", []string{"rescale(&sums, 0, &above, perScore)", ""}},
		{"the same in the lower rows", "query 8,", "attention.go", []string{"rescale(&sums, 2, &below, perScore)", ""}},
		{"weights that stay", "want", "row.go", []string{"r.sum *= by", ""}},
		{"scores of other lanes", "want", "row.go", []string{"most = max(most, gpu.ShflXor(t, ^uint32(0), most, 2))", ""}},
		{"weights of other lanes", "want", "row.go", []string{"r.sum += gpu.ShflXor(t, ^uint32(0), r.sum, 1)", ""}},
		{"keys that there are not", "query 8,", "attention.go", []string{"hide(&scores, 2, column, visible(query+8, k.Sizes[1], causal))", ""}},
		{"the other half of the values", "number 64", "attention.go", []string{"Leading: 2 * scores.Len() * panelWords * 4", "Leading: 128"}},
		{"no wait for scores", "t.WaitSums", "attention.go", []string{"t.WaitSums(0) // ", "t.WaitSums(1) // "}},
		{"no fence behind other sums", "t.FenceSums", "attention.go", []string{"		t.FenceSums()\n		for step := range w.keys / 16 {", "		for step := range w.keys / 16 {"}},
		{"a stage that is not waited for", "1 more arrivals", "work.go", []string{"empty[at.stage].Wait(at.parity ^ 1) //", "//"}},
		{"a stage that one warp of four gives free", "a race", "attention.go", []string{"Init(w.groups * 4)", "Init(w.groups)", "i > 0 && t.Lane() == 0", "i > 0 && t.Idx()%128 == 0"}},
	} {
		files := fstest.MapFS{}
		for name, data := range text {
			if name == c.file {
				for i := 0; i < len(c.change); i += 2 {
					require.Equal(t, 1, strings.Count(data, c.change[i]), c.what)
				}
				data = strings.NewReplacer(c.change...).Replace(data)
			}
			files[name] = &fstest.MapFile{Data: []byte(data)}
		}
		compiler := compile.New()
		compiler.Mount(attention.Sources.Path, files)
		found := ""
		for _, i := range []int{0, 2, 4} {
			p, races := problems()[i].fill(), device.NewRaces()
			out, _, err := p.on(t, compiler, function.New(function.Options{Races: races}))
			switch {
			case err != nil:
				found += err.Error()
			case len(races.List()) > 0:
				found += "a race"
			default:
				found += p.wrong(out, true)
			}
		}
		assert.Contains(t, found, c.found, c.what)
	}
}
