package kernel

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/simt"
)

// A state is a list of numbers of components: the changeable buffers, shared
// memory and named barriers of each block, and each warp. Components are kept
// once, since most differ in few states (Holzmann's collapse compression).

const wordBytes = 4

// number returns the number of a component.
func (s *System) number(component []byte) uint32 {
	n, ok := s.parts[string(component)]
	if !ok {
		n = uint32(len(s.text))
		text := string(component)
		s.parts[text], s.text = n, append(s.text, text)
	}
	return n
}

// put sets number i of a state.
func (s *System) put(state []byte, i int, component []byte) {
	binary.LittleEndian.PutUint32(state[wordBytes*i:], s.number(component))
}

// keepMemory sets the memory of a state to what it is now.
func (s *System) keepMemory(state []byte) {
	var all []byte
	for _, a := range s.buffers {
		all = append(all, a.Data...)
	}
	s.put(state, 0, all)
}

func (s *System) restoreMemory(state string) {
	text := s.text[s.word(state, 0)]
	for _, a := range s.buffers {
		text = text[copy(a.Data, text):]
	}
}

// keep sets a block of a state to what it is now.
func (s *System) keep(state []byte, b *block) {
	shared := append([]byte{}, b.Shared...)
	for i := range b.named {
		shared = binary.LittleEndian.AppendUint32(shared, uint32(b.named[i].Threads))
		shared = binary.LittleEndian.AppendUint32(shared, uint32(b.named[i].Arrived))
	}
	s.put(state, 1+b.ID, shared)
	for i, w := range b.Warps {
		slices.SortFunc(b.strands[i], func(x, y strand) int { return x.slot - y.slot })
		s.put(state, 1+s.g.Blocks+b.ID*s.g.Warps+i, s.encode(w, b.strands[i]))
	}
}

func (s *System) restoreBlock(state string, b *block) {
	text := s.text[s.word(state, 1+b.ID)]
	text = text[copy(b.Shared, text):]
	for i := range b.named {
		v := []byte(text[8*i : 8*i+8])
		b.named[i].Threads, b.named[i].Arrived = int32(binary.LittleEndian.Uint32(v)), int32(binary.LittleEndian.Uint32(v[4:]))
	}
	for i, w := range b.Warps {
		b.strands[i] = s.decode(w, s.text[s.word(state, 1+s.g.Blocks+b.ID*s.g.Warps+i)])
	}
}

// header is the part of a warp's component that does not depend on the program.
type header struct{ strands []strand }

// strandBytes is the size of a strand in a header: slot with arrivedBit, pc, mask.
const strandBytes = 1 + 4 + 4

const arrivedBit = 1 << 7

// read reads a header and returns its size.
func (h *header) read(text string) int {
	n := int(text[0])
	for i := range n {
		b := []byte(text[1+i*strandBytes : 1+(i+1)*strandBytes])
		h.strands = append(h.strands, strand{
			slot: int(b[0] &^ arrivedBit), arrived: b[0]&arrivedBit != 0, pc: int32(binary.LittleEndian.Uint32(b[1:])), mask: binary.LittleEndian.Uint32(b[5:]),
		})
	}
	return 1 + n*strandBytes
}

// encode returns a warp as a component: its strands, and for each of them the
// live registers and the local memory of its lanes. Registers that are not live
// decide nothing.
func (s *System) encode(w *simt.Warp, strands []strand) []byte {
	out := []byte{byte(len(strands))}
	for _, x := range strands {
		slot := byte(x.slot)
		if x.arrived {
			slot |= arrivedBit
		}
		out = append(out, slot)
		out = binary.LittleEndian.AppendUint32(out, uint32(x.pc))
		out = binary.LittleEndian.AppendUint32(out, x.mask)
	}
	n := s.g.Prog.LocalBytes
	for _, x := range strands {
		live := s.live[x.pc]
		for r := range w.Regs {
			if live.Has(r) {
				for m := x.mask; m != 0; m &= m - 1 {
					out = binary.LittleEndian.AppendUint64(out, w.Regs[r][bits.TrailingZeros32(m)])
				}
			}
		}
		for p := range w.Preds {
			if live.Has(len(w.Regs) + p) {
				out = binary.LittleEndian.AppendUint32(out, w.Preds[p]&x.mask)
			}
		}
		for m := x.mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			out = append(out, w.Local[lane*n:(lane+1)*n]...)
		}
	}
	return out
}

// decode restores a warp from a component.
func (s *System) decode(w *simt.Warp, text string) []strand {
	var h header
	rest := []byte(text[h.read(text):])
	n := s.g.Prog.LocalBytes
	w.Exited = w.Exists
	for _, x := range h.strands {
		w.Exited &^= x.mask
		live := s.live[x.pc]
		for r := range w.Regs {
			if live.Has(r) {
				for m := x.mask; m != 0; m &= m - 1 {
					w.Regs[r][bits.TrailingZeros32(m)] = binary.LittleEndian.Uint64(rest)
					rest = rest[8:]
				}
			}
		}
		for p := range w.Preds {
			if live.Has(len(w.Regs) + p) {
				w.SetPred(int32(p), binary.LittleEndian.Uint32(rest), x.mask)
				rest = rest[4:]
			}
		}
		for m := x.mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			rest = rest[copy(w.Local[lane*n:(lane+1)*n], rest[:n]):]
		}
	}
	return h.strands
}
