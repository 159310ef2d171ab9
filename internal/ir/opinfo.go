package ir

import (
	"iter"
	"strings"
)

// OpInfo is what is known of one op: a row of the table Ops. What the fields do
// not say themselves follows from them through the methods of Op.
type OpInfo struct {
	Name   string
	Func   string // the function or method of package gpu that is this op on its arguments
	Action Action
	Result Kinds     // the kinds that the result may have; none: the op has no result
	Args   []ArgType // the operands in order
	ArgK   Kinds     // the kinds that ArgK may have; none: the op has no ArgK
	Elem   Kinds     // the kinds of the element in memory
	Imm    Imm
	Class  Class // for 32-bit kinds; see ClassOf

	Commut    bool     // x and y may be swapped
	Signless  Signless // where signed and unsigned kinds give the same bits
	Faults    bool     // may stop the thread: is not moved to where it would not have run
	Long      bool     // takes a sequence of instructions on hardware
	Moves     bool     // moves or compares bits: takes the pipeline of Class whatever the kind
	Fixed     bool     // nothing is moved across it: it synchronises, ends or measures time
	InProgram bool     // stands in a Program only; leaves, phis and elements stand in SSA form only
}

// Barriers is how many barriers a block has: 0 is OpBar's, the others have names.
const Barriers = 16

// Action is what an executor does with an op. Those behind ActLoad have an
// effect beyond their result.
type Action uint8

// The actions.
const (
	ActNone    Action = iota
	ActLeaf           // nothing: stands in no block, the same at any place of the kernel and for free
	ActPhi            // nothing: SSA only
	ActElem           // nothing: SSA only
	ActALU            // each lane by itself: Eval
	ActSpecial        // reads a value that stays the same
	ActLoad
	ActStore
	ActAtomic // read-modify-write on memory
	ActFence
	ActBarrier // a thread waits for its whole block
	ActNamed   // a whole warp comes to a barrier of some of its block
	ActWarp    // lanes of a warp work together
	ActClock   // reads a value that changes
	ActSleep
	ActTrap
	ActBranch
	ActJump
	ActExit
	NumActions
)

// ArgType says of which kind an operand is, and what for.
type ArgType uint8

// The types of operands.
const (
	Same  ArgType = iota // of the kind of the result
	Other                // of kind ArgK
	IsPred
	IsU32
	IsU64
	Mask     // U32: the lanes of the warp that take part; always the first operand
	Address  // U64; always the first operand
	Vector   // a load of several elements
	Elements // the elements of a store, as many as Mem.Vec says
	Each     // one for each predecessor, of the kind of the result
)

// Imm says what the field Imm of an instruction holds.
type Imm uint8

// The uses of Imm.
const (
	NoImm      Imm = iota
	ImmBits        // of a constant
	ImmLeaf        // index of a parameter leaf
	ImmShared      // index into Func.Shared
	ImmLocal       // index into Func.Local
	ImmSpecial     // a Special
	ImmScale       // what the index is multiplied by
	ImmElement     // of the vector
	ImmOffset      // bytes beyond the address
	ImmTrap        // index into Func.Traps
)

// Signless says where an op on integers gives the same bits whether they count
// as signed or not.
type Signless uint8

// The signless parts.
const (
	SignlessNowhere Signless = iota
	SignlessResult           // the kind of the result, and of the operands that are the same
	SignlessArgs             // ArgK
	SignlessOfInts           // the kind of the result, where ArgK is an integer
)

// Class groups ops by the pipeline that executes them.
type Class uint8

// The latency classes; a machine's configuration gives each latency and
// initiation interval.
const (
	ClassNone    Class = iota // never executed: const, param, phi, elem
	ClassALU                  // 32-bit integer, logic, compare, select, move
	ClassIMAD                 // integer multiply, multiply-add, lea
	ClassFP32                 // float add, multiply, fma
	ClassFP64                 //
	ClassSFU                  // popc, clz, conversions, square root, division steps
	ClassDiv                  // integer and float division: a sequence on hardware
	ClassLSU                  // loads, stores, atomics, by space
	ClassWarp                 // votes, match, barriers of a warp
	ClassShuffle              // shuffles
	ClassBarrier              // block barriers
	ClassFence                // memory fences
	ClassControl              // branches, exit
	ClassSpecial              // reads of special registers
	NumClasses
)

// Kinds is a set of kinds.
type Kinds uint16

// Sets that many ops take.
const (
	Ints      Kinds = 1<<U32 | 1<<S32 | 1<<U64 | 1<<S64
	Floats    Kinds = 1<<F32 | 1<<F64
	Numbers         = Ints | Floats
	Registers       = Numbers | 1<<Pred
	Narrow    Kinds = 1<<U8 | 1<<S8 | 1<<U16 | 1<<S16
)

// Of returns the set of the kinds listed.
func Of(list ...Kind) (s Kinds) {
	for _, k := range list {
		s |= 1 << k
	}
	return s
}

// Has reports whether k is in the set.
func (s Kinds) Has(k Kind) bool { return s>>k&1 != 0 }

// String lists the kinds, the common sets by what they are called.
func (s Kinds) String() string {
	var words []string
	for _, set := range []struct {
		s    Kinds
		name string
	}{{Numbers, "a number"}, {Ints, "an integer"}, {Floats, "a float"}} {
		if s&set.s == set.s {
			words = append(words, set.name)
			s &^= set.s
		}
	}
	for k := range s.All() {
		words = append(words, k.String())
	}
	return strings.Join(words, " or ")
}

// All yields the kinds of the set.
func (s Kinds) All() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for k := range NumKinds {
			if s.Has(k) && !yield(k) {
				return
			}
		}
	}
}

// String returns the name of the op in the text form.
func (o Op) String() string { return Ops[o].Name }

// Action returns what an executor does with the op.
func (o Op) Action() Action { return Ops[o].Action }

// OpByName returns the inverse of String; ok is false for an unknown name.
func OpByName(name string) (o Op, ok bool) {
	for i := range Ops {
		if Ops[i].Name == name {
			return Op(i), i != int(OpInvalid)
		}
	}
	return OpInvalid, false
}

// NArgs returns how many operands the op takes, or -1 where that varies.
func (o Op) NArgs() int {
	args := Ops[o].Args
	if n := len(args); n > 0 && args[n-1] >= Elements {
		return -1
	}
	return len(args)
}

// Accepts reports whether the op exists with a result of kind k and operands
// of kind argK; each is Void where the op has none, and argK also, as in a
// Program, k.
func (o Op) Accepts(k, argK Kind) bool {
	i := &Ops[o]
	switch {
	case !i.Result.Has(k) && (i.Result != 0 || k != Void):
		return false
	case i.ArgK == 0:
		return argK == Void || argK == k
	case o == OpBitcast && k.Bits() != argK.Bits():
		return false
	}
	return i.ArgK.Has(argK)
}

// Variants yields each pair of kinds that the op accepts: of the result and of the
// operands where that differs, Void for none.
func (o Op) Variants() iter.Seq2[Kind, Kind] {
	return func(yield func(k, argK Kind) bool) {
		for k := range NumKinds {
			for argK := range NumKinds {
				if (argK == Void || Ops[o].ArgK != 0) && o.Accepts(k, argK) && !yield(k, argK) {
					return
				}
			}
		}
	}
}

// ArgKind returns the kind of operand i of an op with these kinds of result, of
// operands and of the element in memory. Signed and unsigned kinds of operands
// may stand for each other.
func (o Op) ArgKind(i int, k, argK, elem Kind) Kind {
	args := Ops[o].Args
	if len(args) == 0 {
		return Void
	}
	switch args[min(i, len(args)-1)] {
	case Other:
		return argK
	case IsPred:
		return Pred
	case IsU32, Mask:
		return U32
	case IsU64, Address:
		return U64
	case Elements:
		return elem.Register()
	}
	return k
}

// Pure reports whether o is an op whose result follows from its operands alone
// and that does nothing else: it may be moved, merged and removed. Div and Rem
// are not, since they may stop the thread.
func (o Op) Pure() bool {
	return o.Function() && !Ops[o].Faults
}

// Function reports whether o is an op whose result follows from its operands
// alone: two with the same operands are one.
func (o Op) Function() bool {
	a := Ops[o].Action
	return a == ActALU || a == ActSpecial || a == ActLeaf || a == ActElem
}

// Scalar reports whether o is an op that Eval computes.
func (o Op) Scalar() bool { return Ops[o].Action == ActALU || o == OpConst }

// Effect reports whether o is an op that stays even when its result is unused.
func (o Op) Effect() bool { return Ops[o].Action > ActLoad }

// Memory reports whether o is an op that uses Mem.
func (o Op) Memory() bool {
	a := Ops[o].Action
	return a >= ActLoad && a <= ActFence
}

// Addressed reports whether o is a memory access, whose first operand is its
// address.
func (o Op) Addressed() bool {
	a := Ops[o].Action
	return a >= ActLoad && a <= ActAtomic
}

// Collective reports whether o is an op in which threads of a warp or block
// take part together: it must not be moved over control flow.
func (o Op) Collective() bool {
	a := Ops[o].Action
	return a == ActBarrier || a == ActNamed || a == ActWarp
}

// Masked reports whether o is a collective of a warp whose first operand names
// the lanes that take part.
func (o Op) Masked() bool { return masked[o] }

var masked = func() (m [NumOps]bool) {
	for o := range Ops {
		m[o] = len(Ops[o].Args) > 0 && Ops[o].Args[0] == Mask
	}
	return m
}()

// Floating reports whether o is an op whose value may stand in no block: the
// same at any place of the kernel and for free.
func (o Op) Floating() bool { return Ops[o].Action == ActLeaf }

// IsAtomic reports whether o is a read-modify-write on memory.
func (o Op) IsAtomic() bool { return Ops[o].Action == ActAtomic }

// IsBlockBarrier reports whether o is an op at which a thread waits for its
// whole block.
func (o Op) IsBlockBarrier() bool { return Ops[o].Action == ActBarrier }

// IsCompare reports whether o is a comparison.
func (o Op) IsCompare() bool { return o >= OpEq && o <= OpGe }

// ClassOf returns the latency class of an op on operands of kind k (ArgK where
// the operands have one of their own).
func ClassOf(o Op, k Kind) Class {
	c := Ops[o].Class
	switch c {
	case ClassALU, ClassIMAD, ClassFP32:
		if k == F32 && !Ops[o].Moves {
			return ClassFP32
		}
		if k == F64 && !Ops[o].Moves {
			return ClassFP64
		}
	}
	return c
}
