package opt

import (
	"encoding/binary"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// cseKey identifies a computation; operands are value IDs, -1 for none.
type cseKey struct {
	op      ir.Op
	k, argK ir.Kind
	imm     int64
	args    [3]int
}

// cse replaces a computation by an equal one that dominates it. Within a block
// it also replaces plain loads if no instruction in between can have changed
// the memory; loads from unchanging memory it replaces anywhere. Phis of one
// block with equal operands are merged.
func cse(c *context) {
	c.f.Dominate()
	table := make(map[cseKey]*ir.Value, c.f.NumValues()/2)
	loads := &loaded{known: map[loadKey]loadedValue{}}
	held := map[loadKey]*ir.Value{}
	for _, block := range c.f.Blocks {
		c.equalPhis(block)
		// What is known about memory ends with the block: on another path to
		// the next block something may have written.
		loads.forget()
		for _, value := range block.Ins {
			switch {
			case c.holds(value):
				key := c.loadKey(value)
				if earlier := held[key]; earlier != nil && earlier.Block.Dominates(block) {
					c.replace(value, earlier)
					c.saved++
				} else {
					held[key] = value
				}
			case value.Op == ir.OpLoad && value.Mem.Order == ir.Weak:
				c.cseLoad(value, loads)
			case clobbers(value):
				loads.write(value)
			case value.Op.Function():
				key := c.key(value)
				// Blocks come in reverse post-order, so that a dominator comes
				// before what it dominates. One entry per key is enough in
				// practice; a second one on another path replaces the first.
				if earlier := table[key]; earlier != nil && earlier.Block.Dominates(block) {
					c.replace(value, earlier)
				} else {
					table[key] = value
				}
			}
		}
	}
	c.resolve()
}

func (c *context) equalPhis(block *ir.Block) {
	if len(block.Phis) > manyPhis {
		c.equalAmongMany(block)
		return
	}
	for i, phi := range block.Phis {
	next:
		for _, earlier := range block.Phis[:i] {
			if earlier.K != phi.K || c.fwd[earlier.ID] != nil {
				continue
			}
			for j, arg := range phi.Args {
				if c.res(arg) != c.res(earlier.Args[j]) {
					continue next
				}
			}
			c.replace(phi, earlier)
			break
		}
	}
}

// manyPhis is the number of phis per block up to which each pair is compared.
const manyPhis = 64

// equalAmongMany finds equal phis by a string key of their operands.
func (c *context) equalAmongMany(block *ir.Block) {
	seen := make(map[string]*ir.Value, len(block.Phis))
	var key []byte
	for _, phi := range block.Phis {
		key = append(key[:0], byte(phi.K))
		for _, arg := range phi.Args {
			key = binary.AppendUvarint(key, uint64(c.res(arg).ID))
		}
		if earlier := seen[string(key)]; earlier != nil {
			c.replace(phi, earlier)
		} else {
			seen[string(key)] = phi
		}
	}
}

// unsigned returns the unsigned kind of the same width for kinds whose sign
// does not matter.
func unsigned(kind ir.Kind) ir.Kind {
	switch kind {
	case ir.S32:
		return ir.U32
	case ir.S64:
		return ir.U64
	}
	return kind
}

func (c *context) key(value *ir.Value) cseKey {
	key := cseKey{op: value.Op, k: value.K, argK: value.ArgK, imm: value.Imm, args: [3]int{-1, -1, -1}}
	switch signless := ir.Ops[value.Op].Signless; {
	case signless == ir.SignlessResult, signless == ir.SignlessOfInts && value.ArgK.Int():
		key.k = unsigned(value.K)
	case signless == ir.SignlessArgs:
		key.argK = unsigned(value.ArgK)
	}
	for i, arg := range value.Args {
		arg = c.res(arg)
		// Signed and unsigned constants with the same bits are two values, and
		// equal as operands.
		if arg.Op == ir.OpConst && arg.K.Int() {
			arg = c.constant(unsigned(arg.K), arg.Bits())
		}
		key.args[i] = arg.ID
	}
	if ir.Ops[value.Op].Commut && key.args[0] > key.args[1] {
		key.args[0], key.args[1] = key.args[1], key.args[0]
	}
	return key
}

// loadKey identifies a load; the address is a value ID.
type loadKey struct {
	mem     ir.Mem
	k       ir.Kind
	imm     int64
	address int
}

func (c *context) loadKey(v *ir.Value) loadKey {
	return loadKey{v.Mem, v.K, v.Imm, c.res(v.Args[0]).ID}
}

// loadedValue is a load and the number of writes to its space before it.
type loadedValue struct {
	v      *ir.Value
	writes int
}

// loaded records the loads of a block. A write does not remove loads from the
// map but increments a counter; a load with an older count is no longer valid.
type loaded struct {
	known  map[loadKey]loadedValue
	writes [ir.NumSpaces]int // by the space that a load names
}

// cseLoad replaces the value by an equal load that is still valid.
func (c *context) cseLoad(value *ir.Value, l *loaded) {
	key := c.loadKey(value)
	if o, ok := l.known[key]; ok && o.writes == l.writes[value.Mem.Space] {
		c.replace(value, o.v)
		return
	}
	l.known[key] = loadedValue{value, l.writes[value.Mem.Space]}
}

// clobbers reports whether memory may hold other values for this thread after
// v: v is a write, an ordered access, a fence or any collective, since the
// lanes that take part in it may have written.
func clobbers(v *ir.Value) bool {
	return v.Op.Memory() || v.Op.Collective() || v.Op == ir.OpSleep || v.Op.Action() == ir.ActCopies
}

// forget invalidates all loads.
func (l *loaded) forget() {
	for s := range l.writes {
		l.writes[s]++
	}
}

// write invalidates the loads that the write value may alias: loads of the same
// memory space, because two parameters may be the same buffer, and generic
// loads.
func (l *loaded) write(value *ir.Value) {
	// Anything but a plain store may let this thread see writes of others, in
	// any space; and a generic address may lie in any space.
	if value.Op != ir.OpStore || value.Mem.Order != ir.Weak || value.Mem.Space == ir.Generic {
		l.forget()
		return
	}
	l.writes[value.Mem.Space]++
	// A generic load may read what was written here.
	l.writes[ir.Generic]++
}
