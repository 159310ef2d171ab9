package microbench

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/kernels/attention"
)

// attentionOf is an attention of as many queries as keys.
type attentionOf struct {
	heads, keys, width int
	causal             bool
}

// queries returns how many queries a block of Attention has. A thread has 64 sums of a result of rows of 128 numbers: with 64 queries it may have
// all of 255 registers, and with 128 only 168.
func (a *attentionOf) queries() int {
	if a.width == 64 {
		return 128
	}
	return 64
}

// The stages of Attention, and the keys of each.
const attentionStages, attentionKeys = 4, 64

// Attentions measures attention in f16 by warpgroups and in float32 without tensor cores, with as many queries as keys, on a device, and writes lines
// "attention of HEADS heads WIDTH wide by WHAT,KEYS keys,1,NUMBER us", the least of so many times. What both compute is compared.
func Attentions(ctx context.Context, d device.Device, heads int, keys []int, times int, to io.Writer) error {
	m := newBench(d)
	for _, n := range keys {
		for _, a := range []attentionOf{{heads, n, 64, false}, {heads, n, 64, true}, {heads, n, 128, false}} {
			what := fmt.Sprintf("attention of %d heads %d wide", a.heads, a.width)
			if a.causal {
				what = "causal " + what
			}
			fast, c, err := m.attention(ctx, a, times)
			if err != nil {
				return fmt.Errorf("%s by warpgroups, %d keys: %w", what, n, err)
			}
			slow, want, err := m.plainAttention(ctx, a, times)
			if err != nil {
				return fmt.Errorf("%s without tensor cores, %d keys: %w", what, n, err)
			}
			for i := range want {
				// Weights and results are rounded to f16, each to a part of 2^-11, and values are at most 2; the rest is for sums in float32.
				if !(math.Abs(float64(c[i]-want[i])) <= 1./256) {
					return fmt.Errorf("%s, %d keys: number %d is %g by warpgroups, and %g without tensor cores", what, n, i, c[i], want[i])
				}
			}
			fmt.Fprintf(to, "%s by warpgroups,%d keys,1,%.2f us\n%s without tensor cores,%d keys,1,%.2f us\n", what, n, fast*1e6, what, n, slow*1e6)
		}
	}
	return nil
}

// numbers returns factor f of an attention, from -2 to 2 in steps of f16.
func (a *attentionOf) numbers(f int) []float32 {
	list := make([]float32, a.heads*a.keys*a.width)
	state := uint32(f + 1)
	for i := range list {
		state = state*1664525 + 1013904223
		list[i] = float32(int32(state>>22)-512) / 256
	}
	return list
}

// attention returns how long Attention takes, and its result.
func (m *bench) attention(ctx context.Context, a attentionOf, times int) (seconds float64, c []float32, err error) {
	var maps [3]device.TensorMap3
	for f := range maps {
		list := a.numbers(f)
		words := make([]uint32, len(list)/2)
		for i := range words {
			words[i] = gpu.PackF16(list[2*i], list[2*i+1])
		}
		buffer, done, err := m.buffer("factor", device.U32, len(words), words)
		defer done()
		if err != nil {
			return 0, nil, err
		}
		rows := uint32(attentionKeys)
		if f == 0 {
			rows = attention.GroupQueries
		}
		maps[f] = device.NewTensorMap3(buffer, [3]uint32{uint32(a.width / 2), uint32(a.keys), uint32(a.heads)}, [3]uint32{32, rows, 1}, 128)
	}
	words := make([]uint32, a.heads*a.keys*a.width/2)
	out, done, err := m.buffer("out", device.U32, len(words), words)
	defer done()
	if err != nil {
		return 0, nil, err
	}
	block := uint32(a.queries())
	seconds, err = m.launch(ctx, times, fmt.Sprintf("attention.Attention[[%d]float32,[%d]float32]", attentionKeys/2, a.width/2), nil, device.Launch{
		Grid: a.heads * ((a.keys + a.queries() - 1) / a.queries()), Block: int(attention.Threads(block)), DynamicShared: int(attention.Bytes(block, attentionStages, attentionKeys, uint32(a.width))),
		Args: []any{maps[0], maps[1], maps[2], out, a.scale(), uint32(attentionStages), a.causal}})
	if err == nil {
		err = m.d.Read(out, words)
	}
	for _, w := range words {
		c = append(c, gpu.FromF16(w&0xFFFF), gpu.FromF16(w>>16))
	}
	return seconds, c, err
}

// scale is what scores are multiplied by: one over the root of the length of a row.
func (a *attentionOf) scale() float32 { return float32(1 / math.Sqrt(float64(a.width))) }

// plainAttention returns how long Plain takes, and its result.
func (m *bench) plainAttention(ctx context.Context, a attentionOf, times int) (seconds float64, c []float32, err error) {
	var buffers [4]device.Buffer
	for f := range buffers {
		list := a.numbers(f)
		buffer, done, err := m.buffer("factor", device.F32, len(list), list)
		defer done()
		if err != nil {
			return 0, nil, err
		}
		buffers[f] = buffer
	}
	n := uint32(a.keys)
	seconds, err = m.launch(ctx, times, fmt.Sprintf("attention.Plain[[%d]float32]", a.width/4), nil, device.Launch{
		Grid: a.heads * ((a.keys + attention.PlainQueries - 1) / attention.PlainQueries), Block: attention.PlainThreads, DynamicShared: int(attention.PlainBytes(uint32(a.width))),
		Args: []any{buffers[0], buffers[1], buffers[2], buffers[3], n, n, a.scale(), a.causal}})
	c = make([]float32, a.heads*a.keys*a.width)
	if err == nil {
		err = m.d.Read(buffers[3], c)
	}
	return seconds, c, err
}
