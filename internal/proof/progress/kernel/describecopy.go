package kernel

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
	"github.com/weft-gpu/weft/internal/proof/progress"
)

// where returns the place of an instruction in the source.
func (s *System) where(in *ir.Inst) string {
	if at := s.g.At(in); len(at) > 0 {
		return at[0].String()
	}
	return "?"
}

// describeCopy describes a step that begins copies, or waits for them.
func (s *System) describeCopy(b *block, w *simt.Warp, in *ir.Inst, m progress.Move) progress.Step {
	out := progress.Step{Thread: m.Thread, At: s.where(in), Code: in.Op.String()}
	before := len(b.pending)
	if _, err := s.Step(m.From, m.Unit, nil); err != nil {
		out.Effect = err.Error()
		return out
	}
	out.Effect = "waits no longer"
	if in.Op.Action() != ir.ActCopies {
		out.Effect = "begins nothing"
		if n := len(b.pending) - before; n > 0 {
			out.Effect = "begins " + s.describes(&b.pending[before])
		}
	}
	out.Effect += s.follows(b, w, m)
	return out
}

// describeEnd describes a step that ends what is pending.
func (s *System) describeEnd(m progress.Move) progress.Step {
	first := s.strandUnits()
	b := s.restoreBlocks(m.From, (m.Unit-first)/s.ends)
	out := progress.Step{Machine: true, At: "?"}
	for i := range b.pending {
		p := b.pending[i]
		if p.unit != (m.Unit-first)%s.ends {
			continue
		}
		out.Thread, out.At, out.Code = s.threadOf(&p), s.where(p.In), s.describes(&p)
		if _, err := s.Step(m.From, m.Unit, nil); err != nil {
			out.Effect = err.Error()
			return out
		}
		lane := bits.TrailingZeros32(p.lanes)
		switch p.kind {
		case toGlobal:
			out.Effect = "has written"
		default:
			data, off, _ := p.W.Resolve(lane, p.Barrier[lane])
			out.Effect = "comes to " + s.element(b, p.Barrier[lane]) + ": " + phase(mbarrier.State(simt.Load(data, off, ir.U64)))
		}
		break
	}
	return out
}

// threadOf returns the thread of the model that has begun what is pending.
func (s *System) threadOf(p *pending) int {
	block := p.W.Block.ID
	switch s.as {
	case Warps:
		return block*s.g.Warps + p.W.Index
	case Lanes:
		return block*s.g.Threads + p.W.Index*simt.Lanes + bits.TrailingZeros32(p.lanes)
	}
	return block / s.g.Cluster
}

// describes says what is pending.
func (s *System) describes(p *pending) string {
	lane := bits.TrailingZeros32(p.lanes)
	b := s.blocks[p.W.Block.ID]
	switch p.kind {
	case arrival:
		return fmt.Sprintf("the arrival of copies of %d threads", bits.OnesCount32(p.lanes))
	case toShared:
		return fmt.Sprintf("%d copies of %d bytes, the first to %s", bits.OnesCount32(p.lanes), p.In.Mem.Bytes(), s.element(b, p.To[lane]))
	case product:
		return "a product"
	}
	return fmt.Sprintf("a copy of %d bytes to %s", p.Reads[lane], s.element(b, p.To[lane]))
}

// phase describes an mbarrier.
func phase(b mbarrier.State) string {
	all := max(b.Count(), b.Pending()) // with those of copies that were announced besides
	text := fmt.Sprintf("phase %d with %d of %d arrivals", b.Parity(), all-b.Pending(), all)
	switch bytes := b.Bytes(); {
	case bytes > 0:
		text += fmt.Sprintf(", %d bytes to come", bytes)
	case bytes < 0:
		text += fmt.Sprintf(", %d bytes too many", -bytes)
	}
	return text
}
