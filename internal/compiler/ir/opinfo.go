package ir

import (
	"iter"
	"strings"
)

// OpInfo is a row of the table Ops: the properties of one op. The methods of Op
// derive further properties from them.
type OpInfo struct {
	Name   string
	Func   string // the function or method of package gpu that this op implements
	Action Action
	Result Kinds     // the kinds allowed for the result; none: the op has no result
	Args   []ArgType // the operands in order
	ArgK   Kinds     // the kinds allowed for ArgK; none: the op has no ArgK
	Elem   Kinds     // the kinds allowed for the element in memory
	Imm    Imm
	Class  Class // for 32-bit kinds; see ClassOf

	Commut    bool     // x and y may be swapped
	Signless  Signless // if signed and unsigned kinds give the same bits
	Faults    bool     // may fault: must not be moved to where it would not have executed
	Long      bool     // expands to a sequence of instructions on hardware
	Moves     bool     // moves or compares bits: uses the pipeline of Class for every kind
	Fixed     bool     // nothing may be moved across it: it synchronises, ends the thread or reads the time
	InProgram bool     // appears only in a Program; leaves, phis and elements appear only in SSA form
}

// Barriers is the number of barriers per block: OpBar uses number 0, the others
// are named barriers.
const Barriers = 16

// Action is what an executor does for an op. The actions after ActLoad have an
// effect beyond their result.
type Action uint8

// The actions.
const (
	ActNone    Action = iota
	ActLeaf           // nothing: belongs to no block, has the same value everywhere and costs nothing
	ActPhi            // nothing: SSA only
	ActElem           // nothing: SSA only
	ActALU            // computes each lane separately: Eval
	ActSpecial        // reads a value that does not change
	ActLoad
	ActStore
	ActCopy   // begins an asynchronous copy: a load from the address
	ActBulk   // begins a copy in bulk to the address, or a reduction: see Updates
	ActAtomic // atomic read-modify-write
	ActFence
	ActCopies  // makes a group of copies, or waits for them; or a fence for them
	ActBarrier // a thread waits for its whole block
	ActNamed   // a whole warp arrives at a named barrier
	ActCluster // a whole warp arrives at the barrier of its cluster, or waits for it
	ActWarp    // lanes of a warp cooperate
	ActSums    // reads or writes a word of the sums of products
	ActClock   // reads a value that changes
	ActSleep
	ActTrap
	ActBranch
	ActJump
	ActExit
	NumActions
)

// ArgType is the kind and the purpose of an operand.
type ArgType uint8

// The operand types.
const (
	Same  ArgType = iota // of the result's kind
	Other                // of kind ArgK
	IsPred
	IsU32
	IsS32
	IsU64
	Mask      // U32: the participating lanes; always the first operand
	Address   // U64; always the first operand
	Vector    // a value of several registers: see Value.Results
	Elements  // the values of a store, Mem.Vec of them
	Fragments // the registers of matrices; see MMA.ArgKind
	Each      // one for each predecessor, of the result's kind
)

// Imm says what the field Imm of an instruction holds.
type Imm uint8

// The uses of Imm.
const (
	NoImm        Imm = iota
	ImmBits          // bits of a constant
	ImmLeaf          // index of a parameter leaf
	ImmShared        // index into Func.Shared
	ImmLocal         // index into Func.Local
	ImmSpecial       // a Special
	ImmScale         // factor of the index
	ImmElement       // number of the vector element
	ImmOffset        // byte offset added to the address
	ImmTrap          // index into Func.Traps
	ImmReduction     // a Reduction
	ImmFunction      // a Function, and how it computes: see CalcImm
	ImmMMA           // an MMA
	ImmFragment      // an index into mma.Fragments
	ImmGroups        // how many groups of copies or products may be pending
	ImmSums          // sums, and the product that is added to them: see SumsImm
	ImmRegisters     // registers of a thread
	ImmMemory        // SharedMemory or AllMemory: of what a fence of the asynchronous proxy is
)

// The memory of a fence of the asynchronous proxy.
const (
	SharedMemory = iota
	AllMemory
)

// Reduction is what OpRedux does with the values of lanes.
type Reduction uint8

// The reductions.
const (
	ReduceAdd Reduction = iota
	ReduceMin
	ReduceMax
	ReduceAnd
	ReduceOr
	ReduceXor
	NumReductions
)

// String returns the name of the reduction in PTX.
func (r Reduction) String() string {
	return [...]string{"add", "min", "max", "and", "or", "xor"}[r]
}

// Op returns the op that combines two values.
func (r Reduction) Op() Op { return [...]Op{OpAdd, OpMin, OpMax, OpAnd, OpOr, OpXor}[r] }

// Signless says for which kinds an integer op gives the same bits whether they
// are signed or unsigned.
type Signless uint8

// The values of Signless.
const (
	SignlessNowhere Signless = iota
	SignlessResult           // the kind of the result, and of the operands of the same kind
	SignlessArgs             // ArgK
	SignlessOfInts           // the kind of the result, if ArgK is an integer
)

// Class groups ops by the pipeline that executes them.
type Class uint8

// The pipeline classes. A machine's configuration sets the latency and the
// initiation interval of each.
const (
	ClassNone    Class = iota // never executed: const, param, phi, elem
	ClassALU                  // 32-bit integer, logic, compare, select, move
	ClassIMAD                 // integer multiply, multiply-add, lea
	ClassFP32                 // float add, multiply, fma
	ClassFP64                 //
	ClassSFU                  // popc, clz, conversions, square root, steps of a division
	ClassDiv                  // integer and float division: a sequence of instructions on hardware
	ClassLSU                  // loads, stores, atomics, by space
	ClassWarp                 // votes, match, warp barriers
	ClassShuffle              // shuffles
	ClassBarrier              // block barriers
	ClassFence                // memory fences
	ClassControl              // branches, exit
	ClassSpecial              // reads of special registers
	ClassTensor               // products of matrices
	NumClasses
)

// Kinds is a set of kinds.
type Kinds uint16

// Sets that many ops accept.
const (
	Ints      Kinds = 1<<U32 | 1<<S32 | 1<<U64 | 1<<S64
	Floats    Kinds = 1<<F32 | 1<<F64
	Numbers         = Ints | Floats
	Registers       = Numbers | 1<<Pred
	Narrow    Kinds = 1<<U8 | 1<<S8 | 1<<U16 | 1<<S16
)

// Of returns the set of these kinds.
func Of(list ...Kind) (s Kinds) {
	for _, k := range list {
		s |= 1 << k
	}
	return s
}

// Has reports whether k is in the set.
func (s Kinds) Has(k Kind) bool { return s>>k&1 != 0 }

// String lists the kinds; common sets are given by their names.
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

// Action returns what an executor does for the op.
func (o Op) Action() Action { return Ops[o].Action }

// OpByName returns the op whose String is name; ok is false for an unknown
// name.
func OpByName(name string) (o Op, ok bool) {
	for i := range Ops {
		if Ops[i].Name == name {
			return Op(i), i != int(OpInvalid)
		}
	}
	return OpInvalid, false
}

// NArgs returns the number of operands of the op; -1 if it varies.
func (o Op) NArgs() int {
	args := Ops[o].Args
	if n := len(args); n > 0 && args[n-1] >= Elements {
		return -1
	}
	return len(args)
}

// Accepts reports whether the op can have a result of kind k and operands of
// kind argK. Each is Void if the op has none; argK may also equal k, as in a
// Program.
func (o Op) Accepts(k, argK Kind) bool {
	i := &Ops[o]
	switch {
	case !i.Result.Has(k) && (i.Result != 0 || k != Void):
		return false
	case i.ArgK == 0:
		return argK == Void || argK == k
	case o == OpBitcast && k.Bits() != argK.Bits(), o == OpMMA && (k == F64) != (argK == F64):
		return false
	}
	return i.ArgK.Has(argK)
}

// Variants yields each pair of kinds that the op accepts: the kind of the
// result and ArgK, Void for none.
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

// ArgKind returns the kind of operand i of an op with result kind k, ArgK argK
// and memory element kind elem. Operands of signed and unsigned kinds are
// interchangeable.
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
	case IsS32:
		return S32
	case IsU64, Address:
		return U64
	case Elements:
		return elem.Register()
	}
	return k
}

// Pure reports whether o can be moved, merged and removed: its result depends
// only on its operands and it has no other effect. Div and Rem are not pure,
// since they may fault.
func (o Op) Pure() bool {
	return o.Function() && !Ops[o].Faults
}

// Function reports whether the result of o depends only on its operands, so
// that two instructions with the same operands can be merged.
func (o Op) Function() bool {
	a := Ops[o].Action
	return a == ActALU || a == ActSpecial || a == ActLeaf || a == ActElem
}

// Scalar reports whether Eval computes o.
func (o Op) Scalar() bool { return Ops[o].Action == ActALU || o == OpConst }

// Effect reports whether o must stay even if its result is unused.
func (o Op) Effect() bool { return Ops[o].Action > ActLoad }

// Memory reports whether o uses Mem.
func (o Op) Memory() bool {
	a := Ops[o].Action
	return a >= ActLoad && a <= ActFence
}

// Addressed reports whether o is a memory access. Its first operand is the
// address.
func (o Op) Addressed() bool {
	a := Ops[o].Action
	return a >= ActLoad && a <= ActAtomic
}

// Collective reports whether threads of a warp or block execute o together. It
// must not be moved across control flow.
func (o Op) Collective() bool {
	a := Ops[o].Action
	return a == ActBarrier || a == ActNamed || a == ActCluster || a == ActWarp
}

// Masked reports whether o is a warp collective whose first operand is the mask
// of participating lanes.
func (o Op) Masked() bool { return masked[o] }

var masked = func() (m [NumOps]bool) {
	for o := range Ops {
		m[o] = len(Ops[o].Args) > 0 && Ops[o].Args[0] == Mask
	}
	return m
}()

// Floating reports whether a value of o belongs to no block: it is the same
// everywhere in the kernel and costs nothing.
func (o Op) Floating() bool { return Ops[o].Action == ActLeaf }

// updates are the atomics that reductions in bulk do to each element.
var updates = [NumOps]Op{
	OpBulkAdd: OpAtomAdd, OpBulkMin: OpAtomMin, OpBulkMax: OpAtomMax, OpBulkAnd: OpAtomAnd, OpBulkOr: OpAtomOr, OpBulkXor: OpAtomXor,
	OpBulkInc: OpAtomInc, OpBulkDec: OpAtomDec, OpBulkAddF16: OpAtomAddF16, OpBulkMinF16: OpAtomMinF16, OpBulkMaxF16: OpAtomMaxF16,
	OpSendAdd: OpAtomAdd, OpSendMin: OpAtomMin, OpSendMax: OpAtomMax, OpSendInc: OpAtomInc, OpSendDec: OpAtomDec, OpSendAnd: OpAtomAnd, OpSendOr: OpAtomOr, OpSendXor: OpAtomXor,
	OpBulkAddBF16: OpAtomAddBF16, OpBulkMinBF16: OpAtomMinBF16, OpBulkMaxBF16: OpAtomMaxBF16,
}

// Updates returns the atomic that a reduction in bulk, or an asynchronous one, does to each element; OpInvalid for all other ops.
func (o Op) Updates() Op { return updates[o] }

// OfBulk reports whether o is about the groups of copies in bulk to global memory, or a fence for copies in bulk.
func (o Op) OfBulk() bool { return o >= OpBulkCommit && o <= OpFenceAsync }

// IsAtomic reports whether o is an atomic read-modify-write.
func (o Op) IsAtomic() bool { return Ops[o].Action == ActAtomic }

// IsBlockBarrier reports whether o makes a thread wait for its whole block.
func (o Op) IsBlockBarrier() bool { return Ops[o].Action == ActBarrier }

// IsCompare reports whether o is a comparison.
func (o Op) IsCompare() bool { return o >= OpEq && o <= OpGe }

// ClassOf returns the pipeline class of op o on operands of kind k (ArgK if the
// op has one).
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
