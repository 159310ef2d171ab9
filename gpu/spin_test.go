package gpu_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// TestReadsAreProgress runs kernels that read much and change nothing until their end.
func TestReadsAreProgress(t *testing.T) {
	data := make([]uint32, 100_000)
	for i := range data {
		data[i] = uint32(i) % 7
	}
	want := uint32(0)
	for _, x := range data {
		want += x
	}
	for name, kernel := range map[string]func(th gpu.Thread, out *uint32){
		"one thread reads an array": func(th gpu.Thread, out *uint32) {
			sum := uint32(0)
			for i := range data {
				sum += gpu.Load(&data[i])
			}
			if th.Global() == 0 {
				gpu.Store(out, sum)
			}
		},
		"with the same words between": func(th gpu.Thread, out *uint32) {
			sum := uint32(0)
			for i := range data {
				sum += gpu.Load(&data[i]) + gpu.Load(out) + gpu.Load(&data[0])
			}
			if th.Global() == 0 {
				gpu.Store(out, sum)
			}
		},
		"updates that change nothing": func(th gpu.Thread, out *uint32) {
			sum := uint32(0)
			for i := range data {
				sum += gpu.AtomicMin(&data[i], 100)
			}
			if th.Global() == 0 {
				gpu.Store(out, sum)
			}
		},
		"the same word, counted": func(th gpu.Thread, out *uint32) {
			for range 200_000 {
				gpu.Load(&data[3])
			}
			if th.Global() == 0 {
				gpu.Store(out, want)
			}
		},
	} {
		for _, threads := range []int{1, 3} {
			out := uint32(0)
			require.NoError(t, gpu.Launch(1, threads, func(th gpu.Thread) { kernel(th, &out) }), name)
			assert.Equal(t, want, out, name)
		}
	}
}

// TestOneWorks has threads that spin until another one, which reads long, sets a flag.
func TestOneWorks(t *testing.T) {
	data := make([]uint32, 50_000)
	flag := uint32(0)
	require.NoError(t, gpu.Launch(2, 32, func(th gpu.Thread) {
		if th.Global() != 40 {
			for gpu.LoadAcquire(&flag) == 0 {
			}
			return
		}
		for i := range data {
			gpu.Load(&data[i])
		}
		gpu.StoreRelease(&flag, 1)
	}))
}

// TestSpinsEnd has loops that wait for what never comes. Each is given up soon.
func TestSpinsEnd(t *testing.T) {
	words := make([]uint32, 5000)
	for name, kernel := range map[string]func(th gpu.Thread){
		"a flag": func(th gpu.Thread) {
			for gpu.Load(&words[0]) == 0 {
			}
		},
		"a lock": func(th gpu.Thread) {
			for gpu.AtomicCAS(&words[1], 1, 2) != 1 {
			}
		},
		"several flags in turn": func(th gpu.Thread) {
			for i := uint32(0); gpu.Load(&words[i%5000]) == 0; i++ {
			}
		},
		"with words read twice": func(th gpu.Thread) {
			for gpu.Load(&words[0])+gpu.Load(&words[1])+gpu.Load(&words[0])+gpu.Load(&words[2]) == 0 {
			}
		},
		"after long work": func(th gpu.Thread) {
			for i := range words {
				gpu.Load(&words[i])
			}
			for gpu.Load(&words[0]) == 0 {
			}
		},
		"with back-off": func(th gpu.Thread) {
			for wait := uint32(1); gpu.Load(&words[0]) == 0; wait = min(wait*2, 4096) {
				t := th
				t.Sleep(wait)
			}
		},
		"with a clock": func(th gpu.Thread) {
			for gpu.Load(&words[0]) == 0 {
				_ = th.Clock()
			}
		},
	} {
		for _, threads := range []int{1, 64} {
			began := time.Now()
			err := gpu.Launch(1, threads, kernel)
			var undecided *gpu.UndecidedError
			require.True(t, errors.As(err, &undecided), "%s: %v", name, err)
			assert.Less(t, time.Since(began), 20*time.Second, name)
			t.Log(name, threads, undecided.Rounds, time.Since(began))
		}
	}
}
