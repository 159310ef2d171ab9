package twins_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/testing/cudatest/twins"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

var update = flag.Bool("update", false, "compile twins.cu, and write the table of results/cuda/README.md")

func open(t testing.TB, name string) device.Device {
	spec, err := devices.New(name, devices.Options{})
	require.NoError(t, err)
	dev, err := spec.Open(t.Context(), devices.Watch{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

// kernels returns the kernel of a pair in Go and in CUDA C++.
func (p *pair) kernels(t testing.TB) (inGo, inPTX *device.Kernel) {
	inGo, err := compile.New(twins.Sources).Kernel(t.Context(), "twins."+p.name, nil)
	require.NoError(t, err)
	text, err := os.ReadFile("twins.ptx")
	require.NoError(t, err)
	m, err := readptx.Read("twins.ptx", text)
	require.NoError(t, err)
	k, err := m.Kernel(p.name)
	require.NoError(t, err)
	return inGo, k.ForHost()
}

// Names of files, and the comments with them, differ between machines.
var (
	fileName = regexp.MustCompile(`(?m)^(\s*\.file\s+\d+ )"[^"]*/([^"/]*)".*$`)
	comment  = regexp.MustCompile(`(?m)\s*// .*$`)
)

// TestPTX checks that twins.ptx is what clang makes of twins.cu.
func TestPTX(t *testing.T) {
	c, err := toolkit.Find(t.Context())
	if err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	if c.Version != 19 {
		t.Skipf("needs clang-19, and there is clang %d", c.Version)
	}
	path := filepath.Join(t.TempDir(), "twins.ptx")
	var said bytes.Buffer
	require.NoError(t, toolkit.Build(t.Context(), toolkit.Request{Files: []string{"twins.cu"}, Output: path, PTX: true, Stderr: &said}), said.String())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	got = comment.ReplaceAll(fileName.ReplaceAll(got, []byte(`$1"$2"`)), nil)
	if *update {
		require.NoError(t, os.WriteFile("twins.ptx", got, 0o644))
	}
	want, err := os.ReadFile("twins.ptx")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go test ./internal/testing/cudatest/twins -run TestPTX -update")
}

// most is how far the cycles of a pair may be from each other.
const most = 0.10

// apart are the pairs that are further from each other, and why.
var apart = map[string]string{
	"Rank": "clang unrolls the loop over neighbours by eight, with the rest in a loop before it, one at a time; weft, as `ptxas`, by four, with the rest in pieces of two and one",
	"Mix":  "clang unrolls more of the loop",
}

// TestThreads runs the kernels on a simulated H200 whose SMs run by themselves, on two threads, and on one that goes from cycle
// to cycle: the reports are the same. Histogram and Step fill the queues of atomic units.
func TestThreads(t *testing.T) {
	for _, p := range pairs(t, 1) {
		inGo, _ := p.kernels(t)
		var reports [2]*device.Report
		for i, threads := range []int{1, -2} {
			cfg, err := config.Load("h200")
			require.NoError(t, err)
			dev, err := sim.New(cfg, sim.Options{Threads: threads})
			require.NoError(t, err)
			p.run(t, dev, inGo)
			reports[i] = dev.Total()
		}
		assert.Equal(t, reports[0], reports[1], p.name)
	}
}

// TestCycles runs the pairs on a simulated H200. The table is in results/cuda/README.md.
func TestCycles(t *testing.T) {
	var table strings.Builder
	table.WriteString("\n| kernel | cycles in Go | in CUDA C++ | | warp instructions in Go | in CUDA C++ | |\n|---|---|---|---|---|---|---|\n")
	within := 0
	for _, p := range pairs(t, 1) {
		inGo, inPTX := p.kernels(t)
		of := p.run(t, open(t, "sim:h200"), inGo)
		other := p.run(t, open(t, "sim:h200"), inPTX)
		by := float64(other.Cycles)/float64(of.Cycles) - 1
		if why := apart[p.name]; why != "" {
			assert.Greater(t, math.Abs(by), most, "%s is no longer apart (%s)", p.name, why)
		} else {
			assert.LessOrEqual(t, math.Abs(by), most, p.name)
			within++
		}
		i, j := instructions(of.Report), instructions(other.Report)
		fmt.Fprintf(&table, "| %s | %d | %d | %+.1f%% | %.0f | %.0f | %+.1f%% |\n", p.name, of.Cycles, other.Cycles, 100*by, i, j, 100*(j/i-1))
	}
	assert.GreaterOrEqual(t, within, 6)
	table.WriteString("\n")

	const file, begin, end = "../../../../results/cuda/README.md", "<!-- twins, written by go test ./internal/testing/cudatest/twins -run TestCycles -update -->\n", "<!-- end of twins -->"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	old, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(head+begin+table.String()+end+tail), 0o644))
		return
	}
	assert.Equal(t, old, table.String(), "go test ./internal/testing/cudatest/twins -run TestCycles -update")
}

func instructions(r device.Report) float64 {
	for _, c := range r.Counters {
		if c.Name == "smsp__inst_executed.sum" {
			return c.Value
		}
	}
	return 0
}

// BenchmarkTwins measures how much of the processor the launches of the pairs take here, in turns: the shortest of nine times for each, and how
// much longer the kernel of PTX takes than that in Go.
//
//	go test ./internal/testing/cudatest/twins -run '^$' -bench Twins -benchtime 1x
func BenchmarkTwins(b *testing.B) {
	for _, name := range []string{"func", "sim:h200"} {
		var ratios []float64
		for _, p := range pairs(b, 4) {
			b.Run(name+"/"+p.name, func(b *testing.B) {
				d := open(b, name)
				inGo, inPTX := p.kernels(b)
				shortest := [2]time.Duration{math.MaxInt64, math.MaxInt64}
				for b.Loop() {
					for range 9 {
						for i, k := range []*device.Kernel{inGo, inPTX} {
							shortest[i] = min(shortest[i], p.run(b, d, k).Host)
						}
					}
				}
				ratio := float64(shortest[1]) / float64(shortest[0])
				ratios = append(ratios, ratio)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(shortest[0].Seconds()*1e3, "ms-in-Go")
				b.ReportMetric(shortest[1].Seconds()*1e3, "ms-of-PTX")
				b.ReportMetric(ratio, "ratio")
			})
		}
		slices.Sort(ratios)
		if n := len(ratios); n > 0 {
			b.Logf("%s: a median of %.2f times as long", name, (ratios[(n-1)/2]+ratios[n/2])/2)
		}
	}
}
