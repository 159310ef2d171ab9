package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// forwardSums removes in each block reads of sums whose value is known, and writes that leave them as they are. A program that was read from
// PTX copies its sums around each product (package readptx): of products that follow each other, all copies but the first and the last go.
func forwardSums(c *context) {
	for _, block := range c.f.Blocks {
		known := map[int]*ir.Value{} // by word
		kept := block.Ins[:0]
		for _, v := range block.Ins {
			for i, arg := range v.Args {
				v.Args[i] = c.res(arg)
			}
			if v.Op.IsGroupMMA() {
				s := ir.SumsOf(v.Imm)
				for i := range s.Words {
					delete(known, s.First+i)
				}
			}
			if v.Op.Action() != ir.ActSums || v.Args[0].Op != ir.OpConst || v.Guard != nil {
				if v.Op.Action() == ir.ActSums && v.Op == ir.OpSumsSet {
					clear(known)
				}
				kept = append(kept, v)
				continue
			}
			word := ir.SumsOf(v.Imm).First + int(v.Args[0].Bits())
			is := known[word]
			switch {
			case v.Op == ir.OpSumsGet && is != nil && is.K == v.K:
				c.replace(v, is)
				continue
			case v.Op == ir.OpSumsGet:
				known[word] = v
			case is == v.Args[1]:
				continue
			default:
				known[word] = v.Args[1]
			}
			kept = append(kept, v)
		}
		clear(block.Ins[len(kept):])
		block.Ins = kept
	}
	c.resolve()
}
