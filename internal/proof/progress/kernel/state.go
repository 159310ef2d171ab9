package kernel

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// A state is a list of numbers of components: the changeable buffers, shared
// memory and barriers of each block (of that of its cluster, what its warps have
// done), each warp, and what is pending in each block. Components are kept
// once, since most differ in few states (Holzmann's collapse compression).
// Buffers are a tree of components, so that a state with another word shares
// all pages but one with the state before: the buffers are a list of numbers of
// sheets, a sheet is one of numbers of pages.

const (
	wordBytes  = 4
	pageBytes  = 128
	sheetPages = 64
	// partBytes is about what a component needs besides its text: a string in a list, one
	// in a map, and the map.
	partBytes = 64
)

// page is a part of a buffer with the content and the number of the last state
// that was kept or restored.
type page struct {
	data, shadow []byte
	number       uint32
}

// Bytes returns about how much memory the components of all states need.
func (s *System) Bytes() uint64 { return s.bytes }

// split splits the buffers into pages.
func (s *System) split() {
	for _, a := range s.buffers {
		for data := a.Data; len(data) > 0; {
			n := min(len(data), pageBytes)
			p := page{data: data[:n:n], shadow: bytes.Clone(data[:n])}
			p.number = s.number(p.shadow)
			s.pages, data = append(s.pages, p), data[n:]
		}
	}
	s.sheets = make([]uint32, (len(s.pages)+sheetPages-1)/sheetPages)
	for i := range s.sheets {
		s.sheets[i] = s.number(s.sheet(i))
	}
}

// sheet returns the component of a sheet: the numbers of its pages.
func (s *System) sheet(i int) (text []byte) {
	for _, p := range s.pages[i*sheetPages : min((i+1)*sheetPages, len(s.pages))] {
		text = binary.LittleEndian.AppendUint32(text, p.number)
	}
	return text
}

// number returns the number of a component.
func (s *System) number(component []byte) uint32 {
	n, ok := s.parts[string(component)]
	if !ok {
		n = uint32(len(s.text))
		text := string(component)
		s.parts[text], s.text = n, append(s.text, text)
		s.bytes += uint64(len(text)) + partBytes
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
	for i := range s.sheets {
		changed := false
		for j := i * sheetPages; j < min((i+1)*sheetPages, len(s.pages)); j++ {
			if p := &s.pages[j]; !bytes.Equal(p.data, p.shadow) {
				copy(p.shadow, p.data)
				p.number, changed = s.number(p.shadow), true
			}
		}
		if changed {
			s.sheets[i] = s.number(s.sheet(i))
		}
		all = binary.LittleEndian.AppendUint32(all, s.sheets[i])
	}
	s.put(state, 0, all)
}

func (s *System) restoreMemory(state string) {
	all := s.text[s.word(state, 0)]
	for i := range s.sheets {
		number := s.word(all, i)
		text := ""
		if number != s.sheets[i] {
			text, s.sheets[i] = s.text[number], number
		}
		for j := i * sheetPages; j < min((i+1)*sheetPages, len(s.pages)); j++ {
			p := &s.pages[j]
			if text != "" {
				if n := s.word(text, j-i*sheetPages); n != p.number {
					copy(p.shadow, s.text[n])
					p.number = n
				}
			}
			copy(p.data, p.shadow)
		}
	}
}

// keep sets the blocks of a gang in a state to what they are now.
func (s *System) keep(state []byte, g *gang) {
	for _, b := range g.blocks {
		s.keepBlock(state, b)
	}
}

func (s *System) keepBlock(state []byte, b *block) {
	shared := append([]byte{}, b.Shared...)
	for i := range b.named.Barriers {
		shared = binary.LittleEndian.AppendUint32(shared, uint32(b.named.Barriers[i].Threads))
		shared = binary.LittleEndian.AppendUint32(shared, uint32(b.named.Barriers[i].Arrived))
	}
	shared = binary.LittleEndian.AppendUint32(shared, uint32(b.named.Free))
	shared = append(shared, b.named.Held[:s.g.Warps]...)
	if c := b.Cluster; c != nil {
		shared = c.Barrier.Append(shared, b.Rank*s.g.Warps, s.g.Warps)
	}
	s.put(state, 1+b.ID, shared)
	for i, w := range b.Warps {
		slices.SortFunc(b.strands[i], func(x, y strand) int { return x.slot - y.slot })
		s.put(state, 1+s.g.Blocks+b.ID*s.g.Warps+i, s.encode(w, b.strands[i]))
	}
	s.keepPending(state, b)
}

func (s *System) restoreBlock(state string, b *block) {
	text := s.text[s.word(state, 1+b.ID)]
	text = text[copy(b.Shared, text):]
	for i := range b.named.Barriers {
		v := []byte(text[8*i : 8*i+8])
		b.named.Barriers[i].Threads, b.named.Barriers[i].Arrived = int32(binary.LittleEndian.Uint32(v)), int32(binary.LittleEndian.Uint32(v[4:]))
	}
	text = text[8*len(b.named.Barriers):]
	b.named.Free = int32(binary.LittleEndian.Uint32([]byte(text[:4])))
	text = text[4+copy(b.named.Held[:s.g.Warps], text[4:]):]
	if c := b.Cluster; c != nil {
		c.Barrier.Restore(text, b.Rank*s.g.Warps, s.g.Warps)
	}
	for i, w := range b.Warps {
		b.strands[i] = s.decode(w, s.text[s.word(state, 1+s.g.Blocks+b.ID*s.g.Warps+i)])
	}
	s.restorePending(state, b)
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

// kept reports whether a register is part of a state: it is live, or a sum, which is no operand of what reads it.
func (s *System) kept(live ir.Rows, r int) bool {
	p := s.g.Prog
	return live.Has(r) || r >= p.Sums && r < p.Sums+p.SumWords
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
			if s.kept(live, r) {
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
			if s.kept(live, r) {
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
