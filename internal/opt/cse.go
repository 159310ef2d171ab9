package opt

import (
	"encoding/binary"

	"github.com/weft-gpu/weft/internal/ir"
)

// cseKey identifies a computation; operands by ID, -1 for none.
type cseKey struct {
	op      ir.Op
	k, argK ir.Kind
	imm     int64
	args    [3]int
}

// cse replaces a computation by an equal one that dominates it. Within a
// block it does so for plain loads, while nothing between could have changed
// the memory, and for loads that hold anywhere. Phis of one block with equal operands become one.
func cse(c *context) {
	c.f.Dominate()
	table := make(map[cseKey]*ir.Value, c.f.NumValues()/2)
	loads := &loaded{known: map[loadKey]loadedValue{}}
	held := map[loadKey]*ir.Value{}
	for _, b := range c.f.Blocks {
		c.equalPhis(b)
		loads.forget()
		for _, v := range b.Ins {
			switch {
			case c.holds(v):
				key := c.loadKey(v)
				if o := held[key]; o != nil && o.Block.Dominates(b) {
					c.replace(v, o)
					c.saved++
				} else {
					held[key] = v
				}
			case v.Op == ir.OpLoad && v.Mem.Order == ir.Weak:
				c.cseLoad(v, loads)
			case clobbers(v):
				loads.write(v)
			case v.Op.Function():
				key := c.key(v)
				if o := table[key]; o != nil && o.Block.Dominates(b) {
					c.replace(v, o)
				} else {
					table[key] = v
				}
			}
		}
	}
	c.resolve()
}

func (c *context) equalPhis(b *ir.Block) {
	if len(b.Phis) > manyPhis {
		c.equalAmongMany(b)
		return
	}
	for i, p := range b.Phis {
	next:
		for _, o := range b.Phis[:i] {
			if o.K != p.K || c.fwd[o.ID] != nil {
				continue
			}
			for j, a := range p.Args {
				if c.res(a) != c.res(o.Args[j]) {
					continue next
				}
			}
			c.replace(p, o)
			break
		}
	}
}

// manyPhis is how many phis of a block are compared each with each.
const manyPhis = 64

// equalAmongMany finds equal phis by a text of what they choose from.
func (c *context) equalAmongMany(b *ir.Block) {
	seen := make(map[string]*ir.Value, len(b.Phis))
	var key []byte
	for _, p := range b.Phis {
		key = append(key[:0], byte(p.K))
		for _, a := range p.Args {
			key = binary.AppendUvarint(key, uint64(c.res(a).ID))
		}
		if o := seen[string(key)]; o != nil {
			c.replace(p, o)
		} else {
			seen[string(key)] = p
		}
	}
}

// unsigned returns the kind that stands for both signs where they do not
// matter.
func unsigned(k ir.Kind) ir.Kind {
	switch k {
	case ir.S32:
		return ir.U32
	case ir.S64:
		return ir.U64
	}
	return k
}

func (c *context) key(v *ir.Value) cseKey {
	k := cseKey{op: v.Op, k: v.K, argK: v.ArgK, imm: v.Imm, args: [3]int{-1, -1, -1}}
	switch s := ir.Ops[v.Op].Signless; {
	case s == ir.SignlessResult, s == ir.SignlessOfInts && v.ArgK.Int():
		k.k = unsigned(v.K)
	case s == ir.SignlessArgs:
		k.argK = unsigned(v.ArgK)
	}
	for i, a := range v.Args {
		a = c.res(a)
		if a.Op == ir.OpConst && a.K.Int() {
			a = c.constant(unsigned(a.K), a.Bits())
		}
		k.args[i] = a.ID
	}
	if ir.Ops[v.Op].Commut && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	return k
}

// loadKey identifies a load; the address by ID.
type loadKey struct {
	mem     ir.Mem
	k       ir.Kind
	imm     int64
	address int
}

func (c *context) loadKey(v *ir.Value) loadKey {
	return loadKey{v.Mem, v.K, v.Imm, c.res(v.Args[0]).ID}
}

// loadedValue is a load with the number of writes to its space before it.
type loadedValue struct {
	v      *ir.Value
	writes int
}

// loaded is what was loaded in a block. A write does not walk over it: it counts,
// and a load whose count is old holds no more.
type loaded struct {
	known  map[loadKey]loadedValue
	writes [ir.NumSpaces]int // by space that a load names
}

// cseLoad replaces v by an equal load whose result still holds.
func (c *context) cseLoad(v *ir.Value, l *loaded) {
	key := c.loadKey(v)
	if o, ok := l.known[key]; ok && o.writes == l.writes[v.Mem.Space] {
		c.replace(v, o.v)
		return
	}
	l.known[key] = loadedValue{v, l.writes[v.Mem.Space]}
}

// clobbers reports whether v is an instruction after which memory may hold
// something else for this thread: writes, ordered accesses, fences, and every
// collective, since lanes that meet may have written.
func clobbers(v *ir.Value) bool {
	return v.Op.Memory() || v.Op.Collective() || v.Op == ir.OpSleep
}

// forget drops all loads.
func (l *loaded) forget() {
	for s := range l.writes {
		l.writes[s]++
	}
}

// write drops the loads that the write v may touch: those of its memory space,
// for two parameters may well be the same buffer, and those of any space.
func (l *loaded) write(v *ir.Value) {
	if v.Op != ir.OpStore || v.Mem.Order != ir.Weak || v.Mem.Space == ir.Generic {
		l.forget()
		return
	}
	l.writes[v.Mem.Space]++
	l.writes[ir.Generic]++
}
