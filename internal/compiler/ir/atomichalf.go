package ir

import "github.com/weft-gpu/weft/internal/base/floats"

// halfUpdates says how the atomics on 16-bit floats compute; those on bits and numbers have 0, which is no update here.
var halfUpdates = func() (how [NumOps]FloatHow) {
	for op, u := range map[Op]struct {
		name   string
		format floats.Format
	}{
		OpAtomAddF16: {"add", floats.Half}, OpAtomMinF16: {"min", floats.Half}, OpAtomMaxF16: {"max", floats.Half},
		OpAtomAddBF16: {"add", floats.BFloat}, OpAtomMinBF16: {"min", floats.BFloat}, OpAtomMaxBF16: {"max", floats.BFloat},
	} {
		how[op] = NewFloat(u.name, u.format, floats.NearestEven, 0)
	}
	return how
}()

// Halves reports whether o is an atomic on 16-bit floats, of which an element of 32 bits holds two.
func (o Op) Halves() bool { return o >= OpAtomAddF16 && o <= OpAtomMaxBF16 }

// UpdateHalves returns what an atomic on 16-bit floats leaves in memory, where old was: v is its operand, and k the kind of
// both, U16 for one float and U32 for two.
func (o Op) UpdateHalves(k Kind, old, v uint64) uint64 {
	const half = 1<<16 - 1
	how := halfUpdates[o]
	low := how.eval(old&half, v&half, 0) & half
	if k.Bits() == 16 {
		return low
	}
	return how.eval(old>>16&half, v>>16&half, 0)&half<<16 | low
}
