package ir

// Op is an operation of the IR. The table Ops describes each one; adding an
// op is a row here, a case in Eval, one in the executors, one in the PTX
// printer and a golden file (a test fails where one is missing).
type Op uint8

// The operations. "x y z" are the operands in order.
const (
	OpInvalid Op = iota

	// Leaves.
	OpConst   // Imm: the bits
	OpParam   // Imm: index of the parameter leaf (Kernel.Leaves)
	OpSpecial // Imm: a Special
	OpShared  // Imm: index into Func.Shared; the generic address of the variable
	OpLocal   // Imm: index into Func.Local; the generic address of the thread's copy

	// Integer and floating-point arithmetic. K is the kind of operands and result.
	OpAdd
	OpSub
	OpMul
	OpMulHi // upper half of the double-width integer product
	OpMad   // x*y+z, integers, one rounding-free operation
	OpFMA   // x*y+z, floats, rounded once
	OpDiv   // integer division by zero is a fault
	OpRem
	OpAnd // also on Pred
	OpOr
	OpXor
	OpAndNot // x &^ y
	OpShl    // y is U32; counts >= width give 0 (Go's semantics)
	OpShr    // arithmetic for signed kinds
	OpMin    // integers, and floats with Go's min semantics
	OpMax
	OpNeg
	OpNot // also on Pred
	OpAbs // floats
	OpSqrt
	OpFloor
	OpCeil
	OpTrunc
	OpPopc    // K is U32; ArgK U32 or U64
	OpClz     // K is U32; ArgK U32 or U64; the width for 0
	OpBrev    // bit reversal
	OpBitcast // same width, other kind: U32 <-> S32 <-> F32, U64 <-> S64 <-> F64
	OpCvt     // value conversion ArgK -> K as in Go
	OpExt     // narrow to ArgK (U8 S8 U16 S16) and extend back to K (U32 or S32)

	// Comparison: K is Pred, ArgK the kind of the operands.
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe

	OpSelect // x is Pred: y if set, else z
	OpLea    // base x (U64) + extended index y (32- or 64-bit, ArgK) * Imm
	OpPhi    // one operand a predecessor, in the order of Block.Preds
	OpMov    // only in a Program: a copy that register allocation left
	OpElem   // SSA only: element Imm of the vector that operand x (a vector load) yields

	// Memory. Operand x is the address (U64); Imm a constant byte offset.
	// Mem says space, order, scope, cache hint, element kind and vector width.
	OpLoad
	OpStore    // x address, then Vec values
	OpAtomAdd  // x address, y value; the result is the old value
	OpAtomMin  //
	OpAtomMax  //
	OpAtomAnd  //
	OpAtomOr   //
	OpAtomXor  //
	OpAtomExch //
	OpAtomCAS  // x address, y compare, z new
	OpFence    // Mem.Order AcqRel, Mem.Scope

	// Collectives.
	OpBar      // barrier of the block
	OpBarCount // x Pred; U32: how many threads have it set
	OpBarAnd   // x Pred; Pred
	OpBarOr    // x Pred; Pred
	OpWarpBar  // x mask
	OpBallot   // x mask, y Pred; U32
	OpVoteAny  // x mask, y Pred; Pred
	OpVoteAll  // x mask, y Pred; Pred
	OpShfl     // x mask, y value, z lane (U32); 32- or 64-bit value
	OpShflUp   // z delta
	OpShflDown
	OpShflXor
	OpMatch      // x mask, y value; U32: mask of the lanes with the same value
	OpActiveMask // U32

	// Others with effects.
	OpReadSpecial // Imm: a Special that changes while the kernel runs (clocks)
	OpSleep       // x nanoseconds (U32)
	OpTrap        // a Go panic; Func.Traps[Imm] is the text

	// Control; in a Program only (in SSA a block's end says the same).
	OpBra  // Guard; Target, Recon
	OpJmp  // Target
	OpExit // the thread ends

	NumOps
)

// Special is a read-only value that the machine gives a thread.
type Special uint8

// The special values; all are U32 but Clock64 and GlobalTimer (U64).
const (
	TID    Special = iota // thread index in the block
	CTAID                 // block index in the grid
	NTID                  // threads a block
	NCTAID                // blocks in the grid
	LaneID                // lane in the warp
	SMID                  // SM the block runs on
	Clock64
	GlobalTimer // nanoseconds
	NumSpecials
)

var specialNames = [NumSpecials]string{"tid", "ctaid", "ntid", "nctaid", "laneid", "smid", "clock64", "globaltimer"}

// String is the name in the text form.
func (s Special) String() string { return specialNames[s] }

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
	ClassWarp                 // votes, shuffles, match
	ClassBarrier              // block barriers
	ClassFence                // memory fences
	ClassControl              // branches, exit
	ClassSpecial              // reads of special registers
	NumClasses
)

// OpInfo describes one op.
type OpInfo struct {
	Name    string
	NArgs   int   // operands; -1: varies
	Pure    bool  // no effect and no dependence on anything but operands: may be moved, merged, removed
	Effect  bool  // must be kept even when the result is unused
	Memory  bool  // uses Mem
	Collect bool  // a warp or block collective: must not be moved over control flow
	Class   Class // for 32-bit kinds; see ClassOf
	Commut  bool  // x and y may be swapped
}

// Ops is the table of all operations.
var Ops = [NumOps]OpInfo{
	OpInvalid: {Name: "invalid"},
	OpConst:   {Name: "const", Pure: true},
	OpParam:   {Name: "param", Pure: true},
	OpSpecial: {Name: "special", Pure: true, Class: ClassSpecial},
	OpShared:  {Name: "shared", Pure: true},
	OpLocal:   {Name: "local", Pure: true},

	OpAdd:     {Name: "add", NArgs: 2, Pure: true, Class: ClassALU, Commut: true},
	OpSub:     {Name: "sub", NArgs: 2, Pure: true, Class: ClassALU},
	OpMul:     {Name: "mul", NArgs: 2, Pure: true, Class: ClassIMAD, Commut: true},
	OpMulHi:   {Name: "mulhi", NArgs: 2, Pure: true, Class: ClassIMAD, Commut: true},
	OpMad:     {Name: "mad", NArgs: 3, Pure: true, Class: ClassIMAD, Commut: true},
	OpFMA:     {Name: "fma", NArgs: 3, Pure: true, Class: ClassFP32, Commut: true},
	OpDiv:     {Name: "div", NArgs: 2, Class: ClassDiv},
	OpRem:     {Name: "rem", NArgs: 2, Class: ClassDiv},
	OpAnd:     {Name: "and", NArgs: 2, Pure: true, Class: ClassALU, Commut: true},
	OpOr:      {Name: "or", NArgs: 2, Pure: true, Class: ClassALU, Commut: true},
	OpXor:     {Name: "xor", NArgs: 2, Pure: true, Class: ClassALU, Commut: true},
	OpAndNot:  {Name: "andnot", NArgs: 2, Pure: true, Class: ClassALU},
	OpShl:     {Name: "shl", NArgs: 2, Pure: true, Class: ClassALU},
	OpShr:     {Name: "shr", NArgs: 2, Pure: true, Class: ClassALU},
	OpMin:     {Name: "min", NArgs: 2, Pure: true, Class: ClassALU, Commut: true},
	OpMax:     {Name: "max", NArgs: 2, Pure: true, Class: ClassALU, Commut: true},
	OpNeg:     {Name: "neg", NArgs: 1, Pure: true, Class: ClassALU},
	OpNot:     {Name: "not", NArgs: 1, Pure: true, Class: ClassALU},
	OpAbs:     {Name: "abs", NArgs: 1, Pure: true, Class: ClassALU},
	OpSqrt:    {Name: "sqrt", NArgs: 1, Pure: true, Class: ClassSFU},
	OpFloor:   {Name: "floor", NArgs: 1, Pure: true, Class: ClassSFU},
	OpCeil:    {Name: "ceil", NArgs: 1, Pure: true, Class: ClassSFU},
	OpTrunc:   {Name: "trunc", NArgs: 1, Pure: true, Class: ClassSFU},
	OpPopc:    {Name: "popc", NArgs: 1, Pure: true, Class: ClassSFU},
	OpClz:     {Name: "clz", NArgs: 1, Pure: true, Class: ClassSFU},
	OpBrev:    {Name: "brev", NArgs: 1, Pure: true, Class: ClassSFU},
	OpBitcast: {Name: "bitcast", NArgs: 1, Pure: true, Class: ClassALU},
	OpCvt:     {Name: "cvt", NArgs: 1, Pure: true, Class: ClassALU},
	OpExt:     {Name: "ext", NArgs: 1, Pure: true, Class: ClassALU},

	OpEq: {Name: "eq", NArgs: 2, Pure: true, Class: ClassALU, Commut: true},
	OpNe: {Name: "ne", NArgs: 2, Pure: true, Class: ClassALU, Commut: true},
	OpLt: {Name: "lt", NArgs: 2, Pure: true, Class: ClassALU},
	OpLe: {Name: "le", NArgs: 2, Pure: true, Class: ClassALU},
	OpGt: {Name: "gt", NArgs: 2, Pure: true, Class: ClassALU},
	OpGe: {Name: "ge", NArgs: 2, Pure: true, Class: ClassALU},

	OpSelect: {Name: "select", NArgs: 3, Pure: true, Class: ClassALU},
	OpLea:    {Name: "lea", NArgs: 2, Pure: true, Class: ClassIMAD},
	OpPhi:    {Name: "phi", NArgs: -1},
	OpMov:    {Name: "mov", NArgs: 1, Class: ClassALU},
	OpElem:   {Name: "elem", NArgs: 1},

	OpLoad:     {Name: "load", NArgs: 1, Memory: true, Class: ClassLSU},
	OpStore:    {Name: "store", NArgs: -1, Memory: true, Effect: true, Class: ClassLSU},
	OpAtomAdd:  {Name: "atom.add", NArgs: 2, Memory: true, Effect: true, Class: ClassLSU},
	OpAtomMin:  {Name: "atom.min", NArgs: 2, Memory: true, Effect: true, Class: ClassLSU},
	OpAtomMax:  {Name: "atom.max", NArgs: 2, Memory: true, Effect: true, Class: ClassLSU},
	OpAtomAnd:  {Name: "atom.and", NArgs: 2, Memory: true, Effect: true, Class: ClassLSU},
	OpAtomOr:   {Name: "atom.or", NArgs: 2, Memory: true, Effect: true, Class: ClassLSU},
	OpAtomXor:  {Name: "atom.xor", NArgs: 2, Memory: true, Effect: true, Class: ClassLSU},
	OpAtomExch: {Name: "atom.exch", NArgs: 2, Memory: true, Effect: true, Class: ClassLSU},
	OpAtomCAS:  {Name: "atom.cas", NArgs: 3, Memory: true, Effect: true, Class: ClassLSU},
	OpFence:    {Name: "fence", Memory: true, Effect: true, Class: ClassFence},

	OpBar:        {Name: "bar", Effect: true, Collect: true, Class: ClassBarrier},
	OpBarCount:   {Name: "bar.count", NArgs: 1, Effect: true, Collect: true, Class: ClassBarrier},
	OpBarAnd:     {Name: "bar.and", NArgs: 1, Effect: true, Collect: true, Class: ClassBarrier},
	OpBarOr:      {Name: "bar.or", NArgs: 1, Effect: true, Collect: true, Class: ClassBarrier},
	OpWarpBar:    {Name: "warpbar", NArgs: 1, Effect: true, Collect: true, Class: ClassWarp},
	OpBallot:     {Name: "ballot", NArgs: 2, Effect: true, Collect: true, Class: ClassWarp},
	OpVoteAny:    {Name: "vote.any", NArgs: 2, Effect: true, Collect: true, Class: ClassWarp},
	OpVoteAll:    {Name: "vote.all", NArgs: 2, Effect: true, Collect: true, Class: ClassWarp},
	OpShfl:       {Name: "shfl", NArgs: 3, Effect: true, Collect: true, Class: ClassWarp},
	OpShflUp:     {Name: "shfl.up", NArgs: 3, Effect: true, Collect: true, Class: ClassWarp},
	OpShflDown:   {Name: "shfl.down", NArgs: 3, Effect: true, Collect: true, Class: ClassWarp},
	OpShflXor:    {Name: "shfl.xor", NArgs: 3, Effect: true, Collect: true, Class: ClassWarp},
	OpMatch:      {Name: "match", NArgs: 2, Effect: true, Collect: true, Class: ClassWarp},
	OpActiveMask: {Name: "activemask", Effect: true, Collect: true, Class: ClassWarp},

	OpReadSpecial: {Name: "read", Effect: true, Class: ClassSpecial},
	OpSleep:       {Name: "sleep", NArgs: 1, Effect: true, Class: ClassControl},
	OpTrap:        {Name: "trap", Effect: true, Class: ClassControl},

	OpBra:  {Name: "bra", Effect: true, Class: ClassControl},
	OpJmp:  {Name: "jmp", Effect: true, Class: ClassControl},
	OpExit: {Name: "exit", Effect: true, Class: ClassControl},
}

// String is the name of the op in the text form.
func (o Op) String() string { return Ops[o].Name }

// IsAtomic reports a read-modify-write on memory.
func (o Op) IsAtomic() bool { return o >= OpAtomAdd && o <= OpAtomCAS }

// IsCompare reports a comparison.
func (o Op) IsCompare() bool { return o >= OpEq && o <= OpGe }

// IsBlockBarrier reports an op at which a thread waits for its whole block.
func (o Op) IsBlockBarrier() bool { return o >= OpBar && o <= OpBarOr }

// OpByName is the inverse of String; ok is false for an unknown name.
func OpByName(name string) (o Op, ok bool) {
	for i := range Ops {
		if Ops[i].Name == name {
			return Op(i), i != int(OpInvalid)
		}
	}
	return OpInvalid, false
}

// ClassOf is the latency class of an op on operands of kind k (the kind of
// the first operand for comparisons and conversions).
func ClassOf(o Op, k Kind) Class {
	c := Ops[o].Class
	switch c {
	case ClassALU, ClassIMAD, ClassFP32:
		if k == F32 && o != OpSelect && o != OpMov && o != OpBitcast {
			return ClassFP32
		}
		if k == F64 && o != OpSelect && o != OpMov && o != OpBitcast {
			return ClassFP64
		}
	}
	return c
}
