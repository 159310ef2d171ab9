package barrier

import "github.com/weft-gpu/weft/gpu"

// bank is the number of values in an array of Held: loops over it are unrolled, so that the
// array needs no memory.
const bank = 64

// Held is Meet of Locks in threads that keep many values in registers all the while, as a large
// kernel does, so that fewer blocks are resident. live, which is bound when the kernel is
// compiled, is the number of values, at most 192. They are loaded before the first round, and
// added up after the last one, each combined with a word that is not known before.
func Held(t gpu.Thread, words []uint32, rounds uint32, met []uint32, early *uint32, values, sums []uint32, live uint32) {
	own := values[t.Idx()*3*bank:]
	a, b, c := load(own, 0, live), load(own, bank, live), load(own, 2*bank, live)
	Meet[Locks](t, words, rounds, rounds, met, early)
	late := gpu.Load(&met[t.Block()])
	sums[t.Global()] = add(a, 0, live, late) + add(b, bank, live, late) + add(c, 2*bank, live, late)
}

// load loads a bank of values, from the given one on, as far as they are kept.
func load(values []uint32, first, live uint32) (v [bank]uint32) {
	for i := range uint32(bank) {
		if first+i < live {
			v[i] = gpu.Load(&values[first+i])
		}
	}
	return v
}

// add adds them up.
func add(v [bank]uint32, first, live, late uint32) (sum uint32) {
	for i := range uint32(bank) {
		if first+i < live {
			sum += v[i] ^ late
		}
	}
	return sum
}
