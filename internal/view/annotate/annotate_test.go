package annotate

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/run"
)

// TestLocate holds that a kernel bound by one atomic unit gets the address at which its
// atomics met most, once, and no other kernel does.
func TestLocate(t *testing.T) {
	index := 3
	an := &Annotation{Addresses: []Address{
		{Space: "shared", Buffer: "q.found", Kernel: "a.K"}, {Space: "global", Buffer: "other", Kernel: "a.L"},
		{Space: "global", Buffer: "cells", Index: &index, Kernel: "a.K"},
	}}
	w := &run.Work{Kernels: []bound.Kernel{
		{Name: "a.K", Bound: &bound.Bound{Kind: bound.Atomic, Text: "busiest atomic unit: 99.0% of 1.32 G steps/s"}},
		{Name: "a.L", Bound: &bound.Bound{Kind: bound.Latency, Text: "latency"}},
		{Name: "a.M", Bound: &bound.Bound{Kind: bound.Atomic, Text: "busiest atomic unit"}},
		{Name: "a.N"},
	}}
	locate(w, an)
	locate(w, an)
	assert.Equal(t, "cells[3]", w.Kernels[0].Bound.Address)
	assert.Equal(t, "busiest atomic unit: 99.0% of 1.32 G steps/s; most of its operations are at cells[3]", w.Kernels[0].Bound.Text)
	assert.Equal(t, "latency", w.Kernels[1].Bound.Text)
	assert.Equal(t, "busiest atomic unit", w.Kernels[2].Bound.Text, "no address of it is known")
}

func TestDegreeRow(t *testing.T) {
	count := make([]uint64, 33)
	for n := 1; n <= 32; n++ {
		count[n] = 1
	}
	assert.Equal(t, []string{"1", "1", "2", "4", "8", "16"}, degreeRow(count), "1, 2, 3-4, 5-8, 9-16 and 17-32 lanes")
	assert.Equal(t, []string{"", "5", "", "", "", ""}, degreeRow([]uint64{0, 0, 5}))
}

func TestReadSource(t *testing.T) {
	src := readSource("a.go", []byte("package a\n\n// F does\n// nothing.\nfunc F() {\n}\n\nvar X = 1\n"))
	assert.Equal(t, [][2]int{{3, 6}, {8, 8}}, src.shown([]int{5, 6, 8}))
	assert.Empty(t, src.shown([]int{0, 99}), "no such lines")
	assert.Equal(t, [][2]int{{2, 2}}, readSource("b.go", []byte("func {\nx\n")).shown([]int{2}), "a file that does not parse")
}
