package async

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mma"
)

// products are the products of warpgroups that the warps of a block have begun and not waited for.
type products struct {
	list  []product
	warps []productsOf
	// order has the products that the warps of each warpgroup have begun, without those that all of them have; dropped is how many these are.
	order   [][]*ir.Inst
	dropped []int
}

// productsOf is what is known of a warp.
type productsOf struct {
	groups uint32 // how many it has committed
	count  int    // products that it has begun
	fenced bool
	set    []*ir.Inst // by word of the sums: what has set it since the last fence; nil for none
}

// product is a product of a warp.
type product struct {
	w        *simt.Warp
	in       *ir.Inst
	group    uint32
	matrices [2]simt.Matrix
	n        int
}

func (p *products) reset(warps int) {
	p.list, p.warps = p.list[:0], cleared(p.warps, warps)
	p.order, p.dropped = cleared(p.order, warps/mma.GroupWarps), cleared(p.dropped, warps/mma.GroupWarps)
}

// Product returns the fault of a product of a warp that is undefined: by what was done with its sums, and if memory is set, by pending copies
// and stores that it does not see. If it has none, it is pending.
func (p *Pending) Product(w *simt.Warp, in *ir.Inst, memory bool) *device.Fault {
	of, sums := &p.products.warps[w.Index], ir.SumsOf(in.Imm)
	if !of.fenced {
		return w.UnfencedSumsFault(in, nil)
	}
	for i := sums.First; i < min(sums.First+sums.Words, len(of.set)); i++ {
		if of.set[i] != nil {
			return w.UnfencedSumsFault(in, of.set[i])
		}
	}
	if f := p.products.inOrder(w, in); f != nil {
		return f
	}
	next := product{w: w, in: in, group: of.groups}
	next.matrices, next.n = w.Matrices(in)
	for i := 0; i < next.n && memory; i++ {
		from := simt.MatrixLoad(in, next.matrices[i].Root)
		for at := range next.matrices[i].Pieces {
			if p.claimed(at&^ir.SharedWindow, 16) {
				if f := p.written(w, &from, 0, at, 16); f != nil {
					return f
				}
			}
			if f := p.fences.unseen(w, in, &from, 0, at, 16); f != nil {
				return f
			}
		}
	}
	p.products.list = append(p.products.list, next)
	return nil
}

// inOrder returns the fault of a product that is another one than a warp of the warpgroup has begun in its place.
func (p *products) inOrder(w *simt.Warp, in *ir.Inst) *device.Fault {
	group, of := w.Index/mma.GroupWarps, &p.warps[w.Index]
	at := of.count - p.dropped[group]
	of.count++
	if at < len(p.order[group]) {
		if other := p.order[group][at]; other != in {
			return w.OtherProductFault(in, p.ahead(w, of.count), other)
		}
	} else {
		p.order[group] = append(p.order[group], in)
	}
	all := of.count
	for i := range mma.GroupWarps {
		all = min(all, p.warps[group*mma.GroupWarps+i].count)
	}
	if n := all - p.dropped[group]; n > 0 {
		p.order[group] = append(p.order[group][:0], p.order[group][n:]...)
		p.dropped[group] = all
	}
	return nil
}

// ahead returns another warp of the warpgroup that has begun so many products.
func (p *products) ahead(w *simt.Warp, count int) *simt.Warp {
	first := w.Index / mma.GroupWarps * mma.GroupWarps
	for i := range mma.GroupWarps {
		if first+i != w.Index && p.warps[first+i].count >= count {
			return w.Block.Warps[first+i]
		}
	}
	return w
}

// end returns the fault of a block that ends while a warp lacks products of its warpgroup.
func (p *products) end(block *simt.Block) *device.Fault {
	for group, order := range p.order {
		if len(order) == 0 {
			continue
		}
		behind, ahead := -1, -1
		for i := group * mma.GroupWarps; i < (group+1)*mma.GroupWarps; i++ {
			switch count := p.warps[i].count; {
			case count > p.dropped[group]:
				ahead = i
			case behind < 0:
				behind = i
			}
		}
		return block.Warps[ahead].OtherProductFault(order[0], block.Warps[behind], nil)
	}
	return nil
}

// SumsGroup executes a fence of a warp's sums, what makes a group of its products, or waits for groups.
func (p *Pending) SumsGroup(w *simt.Warp, in *ir.Inst) {
	of := &p.products.warps[w.Index]
	switch in.Op {
	case ir.OpGroupMMAFence:
		of.fenced = true
		clear(of.set)
	case ir.OpGroupMMACommit:
		of.groups++
	case ir.OpGroupMMAWait:
		kept := 0
		for _, one := range p.products.list {
			if one.w == w && one.group+uint32(in.Imm) < of.groups {
				continue
			}
			p.products.list[kept] = one
			kept++
		}
		clear(p.products.list[kept:])
		p.products.list = p.products.list[:kept]
	}
}

// SumsAccess returns the fault of an access of the lanes of mask to sums to which a product may still be added, and notes those that are
// set.
func (p *Pending) SumsAccess(w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	sums, which := ir.SumsOf(in.Imm), w.Row(in.Src[0])
	// In a program that was read from PTX, sums are copied around each product, whatever its registers are used for.
	for i := 0; i < len(p.products.list) && !in.PTX; i++ {
		one := &p.products.list[i]
		if other := ir.SumsOf(one.in.Imm); one.w == w && other.First < sums.First+sums.Words && sums.First < other.First+other.Words {
			return w.BusySumsFault(in, bits.TrailingZeros32(mask)&31, one.in)
		}
	}
	if in.Op != ir.OpSumsSet || in.PTX {
		return nil
	}
	of := &p.products.warps[w.Index]
	if of.set == nil {
		of.set = make([]*ir.Inst, w.Grid.Prog.SumWords)
	}
	for left := mask; left != 0; left &= left - 1 {
		if i := sums.First + int(which[bits.TrailingZeros32(left)&31]); i < len(of.set) {
			of.set[i] = in
		}
	}
	return nil
}

// reads returns the fault of a lane's write of n bytes of shared memory that a product may still read.
func (p *products) reads(w *simt.Warp, in *ir.Inst, lane int, at, n uint64) *device.Fault {
	for i := range p.list {
		one := &p.list[i]
		for j := range one.matrices[:one.n] {
			if one.matrices[j].Touches(at, n) {
				return w.ReadByProductFault(in, lane, at, one.in, one.w)
			}
		}
	}
	return nil
}
