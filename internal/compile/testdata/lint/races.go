package lint

import "github.com/weft-gpu/weft/gpu"

func read(s []uint32, i uint32) uint32 { return s[i] }

// Relax has plain loads of a buffer that it updates, in two places.
func Relax(t gpu.Thread, val, row []uint32) {
	i := t.Global()
	x := val[i]
	for x > 0 {
		gpu.AtomicMin(&val[i+1], x)
		x = read(val, i) + row[i]
	}
}

// Flag spins on a plain load, so it may never end.
func Flag(t gpu.Thread, flag *uint32, data []uint32) {
	if t.Global() == 0 {
		gpu.StoreRelease(flag, 1)
	}
	for *flag == 0 {
	}
	data[t.Global()] = 1
}

// Fine uses gpu.Load, and plain loads of buffers that it does not update.
func Fine(t gpu.Thread, val, other []uint32) {
	i := t.Global()
	if gpu.Load(&val[i]) > other[i] {
		gpu.AtomicMax(&val[i], other[i])
	}
	n := gpu.Shared[uint32](t)
	gpu.AtomicAdd(n, 1)
	t.Sync()
	other[i] = *n
}
