package config

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinks checks that each kind of link has a value, with unit and source, for every parameter of the group, and
// that link.kind names exactly those kinds.
func TestLinks(t *testing.T) {
	files, err := os.ReadDir("links")
	require.NoError(t, err)
	assert.Len(t, files, len(policies[linkKind]))
	for name, l := range links() {
		require.NoError(t, l.err, name)
		assert.True(t, l.family, name)
		assert.Contains(t, policies[linkKind], name)
		assert.NotEmpty(t, l.title, name)
		for _, p := range table() {
			if _, has := l.values[p.Path]; strings.HasPrefix(p.Path, linkGroup) && p.Path != linkKind {
				assert.True(t, has, "%s of %s", p.Path, name)
			} else {
				assert.False(t, has, "%s of %s", p.Path, name)
			}
		}
	}
}

// TestDefaultLinks checks the kind of link of each preset.
func TestDefaultLinks(t *testing.T) {
	want := map[string]string{"h200": "nvlink4", "h100": "nvlink4", "a100": "nvlink3", "v100": "nvlink2", "p100": "nvlink1", "tiny": "nvlink4"}
	for _, name := range Presets() {
		g, err := Load(name)
		require.NoError(t, err)
		kind, ok := want[name]
		if !ok {
			kind = "pcie3"
		}
		assert.Equal(t, kind, g.Link.Kind, name)
		assert.Equal(t, links()[kind].title, g.Link.Title())
		assert.Equal(t, !strings.HasPrefix(kind, "pcie"), g.Link.PeerAtomics, name)
	}
	g, err := Load("v100")
	require.NoError(t, err)
	assert.InDelta(t, 150, float64(g.Link.Links)*g.Link.Bandwidth, 0, "GB/s in each direction")
}

// TestLinkKind checks that a kind brings its values, and that values of a machine, or set before or after it, stay.
func TestLinkKind(t *testing.T) {
	write(t, map[string]string{
		"slow.yaml":    "base: h200\nvalues: {link.kind: pcie3, link.latency: 1 us}\n",
		"over.yaml":    "base: slow.yaml\nvalues: {link.root: 13}\n",
		"again.yaml":   "base: slow.yaml\nvalues: {link.kind: nvlink2}\n",
		"unknown.yaml": "base: h200\nvalues: {link.kind: pcie9}\n",
	})
	load := func(name string, set ...string) *GPU {
		g, err := Load(name)
		require.NoError(t, err)
		for i := 0; i < len(set); i += 2 {
			require.NoError(t, g.Set(set[i], set[i+1]))
		}
		require.NoError(t, g.Validate())
		return g
	}
	slow := load("slow.yaml").Link
	assert.Equal(t, "PCIe 3", slow.Title())
	assert.Equal(t, RootComplex, slow.Topology)
	assert.InDelta(t, 1000, slow.Latency, 0)
	assert.InDelta(t, 15.75, slow.Bandwidth, 0)
	over := load("over.yaml").Link
	assert.InDelta(t, 13, over.Root, 0)
	assert.InDelta(t, 1000, over.Latency, 0)
	again := load("again.yaml").Link
	assert.Equal(t, load("v100").Link, again, "the kind named last replaces all values")

	for _, set := range [][]string{
		{"link.kind", "pcie3", "link.latency", "1 us"}, {"link.latency", "1 us", "link.kind", "pcie3"},
		{"link.latency", "1 us", "link.kind", "nvlink2", "link.kind", "pcie3"},
	} {
		assert.Equal(t, slow, load("h200", set...).Link, set)
	}
	other := load("h200")
	assert.Equal(t, "nvlink4", other.Link.Kind, "copies of a machine are independent")
	g := load("h200", "link.kind", "pcie3", "link.root", "13")
	for _, p := range g.Parameters() {
		switch v := p.Values["h200"]; p.Path {
		case "link.bandwidth":
			assert.Equal(t, Sourced{Value: "15.75", Source: links()["pcie3"].values[p.Path].source}, v)
		case linkKind, "link.root":
			assert.Empty(t, v.Source, "set")
		}
	}

	_, err := Load("unknown.yaml")
	assert.ErrorContains(t, err, `unknown.yaml:2:21: parameter link.kind: "pcie9" is not pcie3 or pcie4 or pcie5 or nvlink1 or nvlink2 or nvlink3 or nvlink4 (kind of the links`)
}

func TestLinkConflicts(t *testing.T) {
	for set, want := range map[string]string{
		"link.payload=40":        "link.payload (40) is not a multiple of link.flit (16); link.chunk (16384) is not a multiple of link.payload (40)",
		"link.chunk=1000":        "link.chunk (1000) is not a multiple of link.payload (256)",
		"link.peer_access=false": "link.peer_atomics (true) requires link.peer_access (false)",
	} {
		g, err := Load("h200")
		require.NoError(t, err)
		path, value, _ := strings.Cut(set, "=")
		require.NoError(t, g.Set(path, value))
		assert.EqualError(t, g.Validate(), "machine h200: "+want)
	}
	g, err := Load("h200")
	require.NoError(t, err)
	assert.EqualError(t, g.Set("link.bandwidth", "3 GHz"),
		`parameter link.bandwidth: "3 GHz" is not a value in GB/s from 0.01 to 10000 (bandwidth of a link in each direction, headers included); a unit is one of GB/s, MB/s, TB/s`)
	kinds := slices.Clone(policies[linkKind])
	slices.Sort(kinds)
	assert.Len(t, slices.Compact(kinds), len(policies[linkKind]))
}
