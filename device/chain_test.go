package device_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// words is a memory of one buffer.
type words []uint32

func (w words) Read(b device.Buffer, dst any) error {
	copy(dst.([]uint32), w[b.Addr/4:][:b.Len])
	return nil
}

func (w words) Write(b device.Buffer, src any) error {
	copy(w[b.Addr/4:][:b.Len], src.([]uint32))
	return nil
}

// TestRunChain checks which launches a chain makes if each kernel asks for what a list says.
func TestRunChain(t *testing.T) {
	names := [3]*device.Kernel{{Name: "first"}, {Name: "a"}, {Name: "b"}}
	all := device.Buffer{Name: "words", Elem: device.U32, Len: 3}
	for _, c := range []struct {
		asks [][2]uint32
		want []string
		err  string
	}{
		{nil, []string{"first 7 host"}, ""},
		{[][2]uint32{{2, 4}, {1, 1}, {1, 3}, {0, 9}}, []string{"first 7 host", "b 4 device", "a 1 device", "a 3 device"}, ""},
		{[][2]uint32{{3, 1}}, []string{"first 7 host"}, "launch of first: it starts launch 3 of 2"},
		{[][2]uint32{{1, 3}, {2, 0}}, []string{"first 7 host", "a 3 device"}, "launch of a: it starts launch 2 with 0 blocks; 1 to 4 are possible"},
		{[][2]uint32{{1, 4}}, []string{"first 7 host"}, "launch of first: it starts launch 1 with 4 blocks; 1 to 3 are possible"},
	} {
		mem := words{1, 1, 5}
		var got []string
		answer := make([]uint32, 1)
		started, err := device.RunChain(mem, device.Chain{
			First: device.Launch{Kernel: names[0], Grid: 7},
			Rest:  []device.Launch{{Kernel: names[1], Grid: 3}, {Kernel: names[2], Grid: 4}},
			Next:  all.Slice(0, 2), Answer: device.Answer{Buffer: all.Slice(2, 3), To: answer, Clear: true},
		}, func(l device.Launch, nested bool) (*device.Report, error) {
			assert.Equal(t, words{0, 0}, mem[:2], "the GPU has taken the last request")
			from := "host"
			if nested {
				from = "device"
			}
			if n := len(got); n < len(c.asks) {
				copy(mem, c.asks[n][:])
			}
			mem[2]++
			got = append(got, fmt.Sprint(l.Kernel.Name, " ", l.Grid, " ", from))
			return &device.Report{Launches: 1, Cycles: uint64(len(got))}, nil
		})
		assert.Equal(t, c.want, got)
		require.Len(t, started, len(c.want))
		for i, s := range started {
			assert.EqualValues(t, i+1, s.Report.Cycles)
			assert.Contains(t, c.want[i], fmt.Sprint(s.Launch.Kernel.Name, " ", s.Launch.Grid))
		}
		if c.err != "" {
			require.EqualError(t, err, c.err)
			var arg *device.ArgError
			require.ErrorAs(t, err, &arg)
			continue
		}
		require.NoError(t, err)
		assert.EqualValues(t, len(c.want), answer[0], "what was cleared before the first launch")
	}
}

// TestChainEnds checks the limit of kernels that start each other, and a launch that fails.
func TestChainEnds(t *testing.T) {
	mem, next := make(words, 2), device.Buffer{Elem: device.U32, Len: 2}
	l := device.Launch{Kernel: &device.Kernel{Name: "k"}, Grid: 9}
	c := device.Chain{First: l, Rest: []device.Launch{l}, Next: next}
	started, err := device.RunChain(mem, c, func(device.Launch, bool) (*device.Report, error) {
		copy(mem, words{1, 2})
		return &device.Report{}, nil
	})
	require.NoError(t, err)
	assert.Len(t, started, 25, "the host's launch, and 24 levels: CUDA C++ Programming Guide")
	assert.Equal(t, words{1, 2}, mem, "the last request")
	fault := errors.New("index out of range")
	runs := 0
	started, err = device.RunChain(mem, c, func(device.Launch, bool) (*device.Report, error) {
		copy(mem, words{1, 2})
		if runs++; runs == 2 {
			return &device.Report{Cycles: 5}, fault
		}
		return &device.Report{}, nil
	})
	require.ErrorIs(t, err, fault)
	require.Len(t, started, 2)
	assert.EqualValues(t, 5, started[1].Report.Cycles)
}
