package ir

// Op is an operation of the IR. Its row of the table Ops holds what the
// verifier, the text form, the optimiser, the executors and the tests need to
// know. To add an op, add a constant and a row here, a case in Eval (or in the
// executors, if the op is not a function of its operands) and its PTX form; a
// test fails if one of them is missing.
type Op uint8

// The operations. x, y and z are the operands in order.
const (
	OpInvalid Op = iota

	// Leaves.
	OpConst   // Imm: the bits
	OpParam   // Imm: index of the parameter leaf (Kernel.Leaves)
	OpSpecial // Imm: a Special
	OpShared  // Imm: index into Func.Shared; the generic address of the variable
	OpLocal   // Imm: index into Func.Local; the generic address of the thread's copy

	// Integer and floating-point arithmetic. K is the kind of the operands and
	// the result.
	OpAdd
	OpSub
	OpMul
	OpMulHi // upper half of the double-width integer product
	OpMad   // x*y+z on integers
	OpFMA   // x*y+z on floats, rounded once
	OpDiv   // integer division by zero is a fault
	OpRem
	OpAnd // also on Pred
	OpOr
	OpXor
	OpAndNot // x &^ y
	OpShl    // y is U32; counts >= width give 0 (Go's semantics)
	OpShr    // arithmetic for signed kinds
	OpMin    // integers; floats as Go's min
	OpMax
	OpNeg
	OpNot // also on Pred
	OpAbs // floats only
	OpSqrt
	OpFloor
	OpCeil
	OpTrunc
	OpApproxExp2 // hardware approximations, F32 only; Eval gives a value within their error bound
	OpApproxLog2
	OpApproxSin
	OpApproxCos
	OpApproxTanh
	OpApproxSqrt
	OpApproxRsqrt
	OpApproxRcp
	OpPopc    // K is U32; ArgK U32 or U64
	OpClz     // K is U32; ArgK U32 or U64; 0 gives the width
	OpBrev    // bit reversal
	OpBitcast // same width, other kind: U32 <-> S32 <-> F32, U64 <-> S64 <-> F64
	OpCvt     // value conversion ArgK -> K as in Go
	OpExt     // narrow to ArgK (U8 S8 U16 S16) and extend back to K (U32 or S32)

	// Comparisons. K is Pred; ArgK is the kind of the operands.
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe

	OpSelect    // x is a Pred: y if it is set, else z
	OpLea       // base x (U64) + index y (32 or 64 bits, extended by ArgK) * Imm
	OpMulWide   // x*y with twice the bits
	OpMapShared // x an address in shared memory, y the rank of a block of the cluster: the same place of that block's; see MapShared
	OpCalc1     // a Function of x
	OpCalc2     // of x and y
	OpCalc3     // of x, y and z
	OpPhi       // one operand per predecessor, in the order of Block.Preds
	OpMov       // Program only: a copy left by register allocation
	OpElem      // SSA only: element Imm of the vector that x, a vector load, returns

	// Memory. Operand x is the address (U64) and Imm a constant byte offset.
	// Mem gives space, order, scope, cache hint, element kind and vector width.
	OpLoad
	// Loads of 1, 2 or 4 matrices of 8 rows of 16 bytes from shared memory; x is the address of a row in each of the first 8, 16 or 32
	// lanes, and Mem what such a lane accesses. They return a register for each matrix: see MatrixWords.
	OpLoadMatrix1
	OpLoadMatrix2
	OpLoadMatrix4
	OpLoadTransposed1 // of the transposed matrices of elements of 16 bits
	OpLoadTransposed2
	OpLoadTransposed4
	OpStore // x address, followed by Vec values
	// Stores of matrices as OpLoadMatrix1 loads them: x the address of a row, then as many registers as matrices, and zeros up to four.
	OpStoreMatrix1
	OpStoreMatrix2
	OpStoreMatrix4
	OpStoreTransposed1
	OpStoreTransposed2
	OpStoreTransposed4
	OpAtomAdd  // x address, y value; the result is the old value
	OpAtomMin  //
	OpAtomMax  //
	OpAtomAnd  //
	OpAtomOr   //
	OpAtomXor  //
	OpAtomExch //
	OpAtomCAS  // x address, y compare, z new
	OpAtomInc  // old+1, or 0 if old is y or more
	OpAtomDec  // old-1, or y if old is 0 or more than y
	// On 16-bit floats; an element of 32 bits is two of them, each updated by itself.
	OpAtomAddF16
	OpAtomMinF16
	OpAtomMaxF16
	OpAtomAddBF16
	OpAtomMinBF16
	OpAtomMaxBF16
	// On an mbarrier, a U64 in shared memory; see UpdateMBarrier. The result is the object before: only bit 63 of its xor with
	// another such result or with y has a meaning, since PTX hides the rest.
	OpMBarInit         // y arrivals of a phase
	OpMBarInval        // y is not used
	OpMBarArrive       // y arrivals
	OpMBarExpect       // y bytes
	OpMBarArriveExpect // y bytes; one arrival
	OpMBarDrop         // y arrivals, which later phases do not take
	OpMBarDropExpect   // y bytes; one such arrival
	OpMBarArrivePart   // y arrivals, which do not complete the phase
	OpMBarDropPart     // y arrivals, which do not complete the phase, and which later phases do not take
	// The phase waits for one arrival more, or for one of those of Init: of the copies of the thread so far, when they have landed.
	OpMBarTrack      // y is not used
	OpMBarCopied     // y is not used
	OpMBarTest       // y the result of an arrival: bit 63 differs if the phase of that arrival is complete
	OpMBarTestParity // bit 63 of y is a parity: the result's differs if the phase of that parity is complete
	OpMBarTry        // as OpMBarTest; may wait for some time
	OpMBarTryParity
	OpFence // Mem.Order is AcqRel or SeqCst; Mem.Scope
	// Asynchronous copies from global to shared memory: x the source, y the destination, z how many bytes are read. The others of
	// Mem.Bytes() are zeros.
	OpCopy
	OpBulkCopy // x and y as of OpCopy, z bytes, and the mbarrier in shared memory on which they complete
	// Of a box of a tensor, of one to three dimensions: x the buffer of a TensorMap, the other operands as of OpBulkCopy, where z is all of
	// a box, then the coordinates of its first element.
	OpTensorCopy1
	OpTensorCopy2
	OpTensorCopy3
	// Copies to several blocks of the cluster: behind the mbarrier, a mask of their ranks. The bytes and what they bring to the mbarrier come to
	// the same places of each block.
	OpBulkMulticast
	OpTensorMulticast1
	OpTensorMulticast2
	OpTensorMulticast3
	// From the block's own shared memory to that of a block of its cluster: x the source, the other operands as of OpBulkCopy. The destination and
	// the mbarrier are of one block.
	OpBulkSend
	// Copies of a box of a tensor that the words of a tensor map describe, as a program had it from its host: x the tensor's first byte, the other operands as
	// of OpTensorCopy3, then MapWords words, the first of which has the mask of a multicast; see package tensormap.
	OpMapCopy
	OpMapMulticast
	// A value to shared memory of a block of the cluster, which is stored, or with which what is there is updated, at some later time, and completes on an
	// mbarrier of that block: x and y the destination, z how many bytes, the mbarrier, then the values. See SendsValue.
	OpSendStore
	OpSendAdd
	OpSendMin
	OpSendMax
	OpSendInc
	OpSendDec
	OpSendAnd
	OpSendOr
	OpSendXor
	OpCopyCommit // the copies of the thread since the last one are a group
	OpCopyWait   // until all groups of the thread but the last Imm have landed
	// Copies in bulk from shared to global memory: x the destination, y the source, z bytes. They complete in groups of their thread, which
	// are others than those of OpCopy. All but the first update each element there; see Updates.
	OpBulkStore
	// Of a box of a tensor: x the buffer of a TensorMap, y and z as of OpBulkStore, then the coordinates of the first element.
	OpTensorStore1
	OpTensorStore2
	OpTensorStore3
	OpMapStore // as OpTensorStore3, and words as of OpMapCopy
	OpBulkAdd
	OpBulkMin
	OpBulkMax
	OpBulkAnd
	OpBulkOr
	OpBulkXor
	OpBulkInc
	OpBulkDec
	OpBulkAddF16 // of these, an element is two floats of 16 bits
	OpBulkMinF16
	OpBulkMaxF16
	OpBulkAddBF16
	OpBulkMinBF16
	OpBulkMaxBF16
	OpBulkCommit   // those of the thread since the last one are a group
	OpBulkWait     // until all groups of the thread but the last Imm are done
	OpBulkWaitRead // until these have read their sources
	OpFenceAsync   // what was stored to shared memory before is there for copies in bulk

	// Collectives.
	OpBar      // barrier of the whole block
	OpBarCount // x Pred; returns U32: the number of threads in which it is set
	OpBarAnd   // x Pred; returns Pred
	OpBarOr    // x Pred; returns Pred
	OpBarSync  // x mask (all lanes), y barrier number, z thread count: waits until that many threads have arrived
	OpBarArrive
	// Registers of a warp, which then has Imm a thread: given back to its block, or taken when the block has enough.
	OpRegistersGive
	OpRegistersTake
	OpClusterArrive // x mask (all lanes): counts the warp at the barrier of its cluster, with relaxed order
	OpClusterWait   // x mask (all lanes): waits until all warps of the cluster have come; acquire order
	OpWarpBar       // x mask
	OpBallot        // x mask, y Pred; returns U32
	OpVoteAny       // x mask, y Pred; returns Pred
	OpVoteAll       // x mask, y Pred; returns Pred
	OpShfl          // x mask, y value, z lane (U32); 32- or 64-bit value
	OpShflUp        // z delta
	OpShflDown
	OpShflXor
	OpMatch      // x mask, y value; returns U32: the mask of lanes with the same value
	OpActiveMask // returns U32
	OpRedux      // x mask, y value; returns the Reduction Imm of the values of the mask's lanes
	OpMMA        // x mask (all lanes), followed by the registers of A, B and C; Imm: an MMA; returns a vector, the registers of the result
	OpMovMatrix  // x mask (all lanes), y a row of two 16-bit elements of an 8x8 matrix; returns those of its transpose
	OpFragment   // x mask (all lanes), y address, z elements from one row or column to the next; Imm: a Fragment, which is loaded or stored behind it
	// Products of a warpgroup, four warps from a multiple of four on, which are added to sums while the warps go on. Imm: SumsImm.
	OpGroupMMA       // x mask (all lanes), then where A and B are in shared memory: each an address and its descriptor without it
	OpGroupMMAFrom   // x mask (all lanes), the four registers of A, and where B is
	OpGroupMMAFence  // x mask: products see what the warp has written to sums before
	OpGroupMMACommit // x mask: the products of the warp since the last one are a group
	OpGroupMMAWait   // x mask: until all groups of the warp but the last Imm have been added
	// A word of the sums of a thread. Imm: SumsImm without a product.
	OpSumsGet // x which word
	OpSumsSet // x which word, y its value

	// Other ops with effects.
	OpReadSpecial // Imm: a Special that changes while the kernel runs (clocks)
	OpSleep       // x nanoseconds (U32)
	OpTrap        // a Go panic with the text Func.Traps[Imm]

	// Control flow; Program only (in SSA form the end of a block says the
	// same).
	OpBra  // Guard; Target, Recon
	OpJmp  // Target
	OpExit // ends the thread

	NumOps
)

// halfElements are the elements of atomics on 16-bit floats: one, or two in a word.
var halfElements = Of(U16, U32)

// Operand lists that rows of the table share.
var (
	same1  = []ArgType{Same}
	same2  = []ArgType{Same, Same}
	same3  = []ArgType{Same, Same, Same}
	other1 = []ArgType{Other}
	other2 = []ArgType{Other, Other}
	shift  = []ArgType{Same, IsU32}
	update = []ArgType{Address, Same}
	bulk   = []ArgType{Address, IsU64, IsU32}
	values = []ArgType{Address, IsU64, IsU32, IsU64, Elements}
	tensor = []ArgType{Address, IsU64, IsU32, IsU64, IsS32, IsS32, IsS32}
	cast   = []ArgType{Address, IsU64, IsU32, IsU64, IsU32, IsS32, IsS32, IsS32}
	boxes  = []ArgType{Address, IsU64, IsU32, IsS32, IsS32, IsS32}
	maps   = []ArgType{Address, IsU64, IsU32, IsU64, IsS32, IsS32, IsS32, IsU64, IsU64, IsU64, IsU64}
	stores = []ArgType{Address, IsU64, IsU32, IsS32, IsS32, IsS32, IsU64, IsU64, IsU64, IsU64}
	isPred = []ArgType{IsPred}
	vote   = []ArgType{Mask, IsPred}
	named  = []ArgType{Mask, IsU32, IsU32}
	lanes  = []ArgType{Mask}
	shfl   = []ArgType{Mask, Same, IsU32}
	tiles  = []ArgType{Mask, Fragments}
	group  = []ArgType{Mask, IsU64, IsU64, IsU64, IsU64}
	group4 = []ArgType{Mask, IsU32, IsU32, IsU32, IsU32, IsU64, IsU64}
)

// Ops is the table of all operations.
var Ops = [NumOps]OpInfo{
	OpInvalid: {Name: "invalid"},
	OpConst:   {Name: "const", Action: ActLeaf, Result: Registers, Imm: ImmBits},
	OpParam:   {Name: "param", Action: ActLeaf, Result: Registers, Imm: ImmLeaf},
	OpSpecial: {Name: "special", Action: ActSpecial, Result: Of(U32), Imm: ImmSpecial, Class: ClassSpecial},
	OpShared:  {Name: "shared", Action: ActLeaf, Result: Of(U64), Imm: ImmShared},
	OpLocal:   {Name: "local", Action: ActLeaf, Result: Of(U64), Imm: ImmLocal},

	OpAdd:    {Name: "add", Action: ActALU, Result: Numbers, Args: same2, Class: ClassALU, Commut: true, Signless: SignlessResult},
	OpSub:    {Name: "sub", Action: ActALU, Result: Numbers, Args: same2, Class: ClassALU, Signless: SignlessResult},
	OpMul:    {Name: "mul", Action: ActALU, Result: Numbers, Args: same2, Class: ClassIMAD, Commut: true, Signless: SignlessResult},
	OpMulHi:  {Name: "mulhi", Func: "MulHi", Action: ActALU, Result: Ints, Args: same2, Class: ClassIMAD, Commut: true},
	OpMad:    {Name: "mad", Action: ActALU, Result: Ints, Args: same3, Class: ClassIMAD, Commut: true, Signless: SignlessResult},
	OpFMA:    {Name: "fma", Func: "FMA", Action: ActALU, Result: Floats, Args: same3, Class: ClassFP32, Commut: true},
	OpDiv:    {Name: "div", Action: ActALU, Result: Numbers, Args: same2, Class: ClassDiv, Faults: true, Long: true},
	OpRem:    {Name: "rem", Action: ActALU, Result: Ints, Args: same2, Class: ClassDiv, Faults: true, Long: true},
	OpAnd:    {Name: "and", Action: ActALU, Result: Ints | Of(Pred), Args: same2, Class: ClassALU, Commut: true, Signless: SignlessResult},
	OpOr:     {Name: "or", Action: ActALU, Result: Ints | Of(Pred), Args: same2, Class: ClassALU, Commut: true, Signless: SignlessResult},
	OpXor:    {Name: "xor", Action: ActALU, Result: Ints | Of(Pred), Args: same2, Class: ClassALU, Commut: true, Signless: SignlessResult},
	OpAndNot: {Name: "andnot", Action: ActALU, Result: Ints | Of(Pred), Args: same2, Class: ClassALU, Signless: SignlessResult},
	OpShl:    {Name: "shl", Action: ActALU, Result: Ints, Args: shift, Class: ClassALU, Signless: SignlessResult},
	OpShr:    {Name: "shr", Action: ActALU, Result: Ints, Args: shift, Class: ClassALU},
	OpMin:    {Name: "min", Action: ActALU, Result: Numbers, Args: same2, Class: ClassALU, Commut: true},
	OpMax:    {Name: "max", Action: ActALU, Result: Numbers, Args: same2, Class: ClassALU, Commut: true},
	OpNeg:    {Name: "neg", Action: ActALU, Result: Numbers, Args: same1, Class: ClassALU, Signless: SignlessResult},
	OpNot:    {Name: "not", Action: ActALU, Result: Ints | Of(Pred), Args: same1, Class: ClassALU, Signless: SignlessResult},
	OpAbs:    {Name: "abs", Func: "Abs", Action: ActALU, Result: Floats, Args: same1, Class: ClassALU},
	OpSqrt:   {Name: "sqrt", Func: "Sqrt", Action: ActALU, Result: Floats, Args: same1, Class: ClassSFU, Long: true},
	OpFloor:  {Name: "floor", Func: "Floor", Action: ActALU, Result: Floats, Args: same1, Class: ClassSFU},
	OpCeil:   {Name: "ceil", Func: "Ceil", Action: ActALU, Result: Floats, Args: same1, Class: ClassSFU},
	OpTrunc:  {Name: "trunc", Func: "Trunc", Action: ActALU, Result: Floats, Args: same1, Class: ClassSFU},

	OpApproxExp2:  {Name: "approx.exp2", Func: "ApproxExp2", Action: ActALU, Result: Of(F32), Args: same1, Class: ClassSFU},
	OpApproxLog2:  {Name: "approx.log2", Func: "ApproxLog2", Action: ActALU, Result: Of(F32), Args: same1, Class: ClassSFU},
	OpApproxSin:   {Name: "approx.sin", Func: "ApproxSin", Action: ActALU, Result: Of(F32), Args: same1, Class: ClassSFU},
	OpApproxCos:   {Name: "approx.cos", Func: "ApproxCos", Action: ActALU, Result: Of(F32), Args: same1, Class: ClassSFU},
	OpApproxTanh:  {Name: "approx.tanh", Func: "ApproxTanh", Action: ActALU, Result: Of(F32), Args: same1, Class: ClassSFU},
	OpApproxSqrt:  {Name: "approx.sqrt", Func: "ApproxSqrt", Action: ActALU, Result: Of(F32), Args: same1, Class: ClassSFU},
	OpApproxRsqrt: {Name: "approx.rsqrt", Func: "ApproxRsqrt", Action: ActALU, Result: Of(F32), Args: same1, Class: ClassSFU},
	OpApproxRcp:   {Name: "approx.rcp", Func: "ApproxRcp", Action: ActALU, Result: Of(F32), Args: same1, Class: ClassSFU},

	OpPopc:    {Name: "popc", Func: "PopCount", Action: ActALU, Result: Of(U32), Args: other1, ArgK: Ints, Class: ClassSFU},
	OpClz:     {Name: "clz", Func: "LeadingZeros", Action: ActALU, Result: Of(U32), Args: other1, ArgK: Ints, Class: ClassSFU},
	OpBrev:    {Name: "brev", Func: "Reverse", Action: ActALU, Result: Ints, Args: same1, Class: ClassSFU, Signless: SignlessResult},
	OpBitcast: {Name: "bitcast", Action: ActALU, Result: Numbers, Args: other1, ArgK: Numbers, Class: ClassALU, Moves: true},
	OpCvt:     {Name: "cvt", Action: ActALU, Result: Numbers, Args: other1, ArgK: Numbers, Class: ClassALU, Signless: SignlessOfInts},
	OpExt:     {Name: "ext", Action: ActALU, Result: Of(U32, S32), Args: same1, ArgK: Narrow, Class: ClassALU},

	OpEq: {Name: "eq", Action: ActALU, Result: Of(Pred), Args: other2, ArgK: Registers, Class: ClassALU, Commut: true, Signless: SignlessArgs},
	OpNe: {Name: "ne", Action: ActALU, Result: Of(Pred), Args: other2, ArgK: Registers, Class: ClassALU, Commut: true, Signless: SignlessArgs},
	OpLt: {Name: "lt", Action: ActALU, Result: Of(Pred), Args: other2, ArgK: Numbers, Class: ClassALU},
	OpLe: {Name: "le", Action: ActALU, Result: Of(Pred), Args: other2, ArgK: Numbers, Class: ClassALU},
	OpGt: {Name: "gt", Action: ActALU, Result: Of(Pred), Args: other2, ArgK: Numbers, Class: ClassALU},
	OpGe: {Name: "ge", Action: ActALU, Result: Of(Pred), Args: other2, ArgK: Numbers, Class: ClassALU},

	OpSelect:    {Name: "select", Action: ActALU, Result: Registers, Args: []ArgType{IsPred, Same, Same}, Class: ClassALU, Moves: true, Signless: SignlessResult},
	OpLea:       {Name: "lea", Action: ActALU, Result: Of(U64), Args: []ArgType{IsU64, Other}, ArgK: Ints, Imm: ImmScale, Class: ClassIMAD},
	OpMulWide:   {Name: "mul.wide", Action: ActALU, Result: Of(U64, S64), Args: other2, ArgK: Of(U32, S32), Class: ClassIMAD, Commut: true},
	OpMapShared: {Name: "mapshared", Action: ActALU, Result: Of(U64), Args: []ArgType{IsU64, IsU32}, Class: ClassALU},
	OpCalc1:     {Name: "calc1", Action: ActALU, Result: Registers, Args: other1, ArgK: Numbers, Imm: ImmFunction, Class: ClassALU},
	OpCalc2:     {Name: "calc2", Action: ActALU, Result: Numbers, Args: other2, ArgK: Numbers, Imm: ImmFunction, Class: ClassALU},
	OpCalc3:     {Name: "calc3", Action: ActALU, Result: Numbers, Args: []ArgType{Other, Other, Other}, ArgK: Numbers, Imm: ImmFunction, Class: ClassALU},
	OpPhi:       {Name: "phi", Action: ActPhi, Result: Registers, Args: []ArgType{Each}},
	OpMov:       {Name: "mov", Action: ActALU, Result: Registers, Args: same1, Class: ClassALU, Moves: true, InProgram: true},
	OpElem:      {Name: "elem", Action: ActElem, Result: Numbers, Args: []ArgType{Vector}, Imm: ImmElement},

	OpLoad:             {Name: "load", Action: ActLoad, Result: Numbers, Args: []ArgType{Address}, Elem: Numbers | Narrow, Imm: ImmOffset, Class: ClassLSU},
	OpLoadMatrix1:      {Name: "ldmatrix.x1", Func: "LoadMatrix1", Action: ActLoad, Result: Of(U32), Args: []ArgType{Address}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpLoadMatrix2:      {Name: "ldmatrix.x2", Func: "LoadMatrix2", Action: ActLoad, Result: Of(U32), Args: []ArgType{Address}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpLoadMatrix4:      {Name: "ldmatrix.x4", Func: "LoadMatrix4", Action: ActLoad, Result: Of(U32), Args: []ArgType{Address}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpLoadTransposed1:  {Name: "ldmatrix.x1.trans", Func: "LoadTransposed1", Action: ActLoad, Result: Of(U32), Args: []ArgType{Address}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpLoadTransposed2:  {Name: "ldmatrix.x2.trans", Func: "LoadTransposed2", Action: ActLoad, Result: Of(U32), Args: []ArgType{Address}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpLoadTransposed4:  {Name: "ldmatrix.x4.trans", Func: "LoadTransposed4", Action: ActLoad, Result: Of(U32), Args: []ArgType{Address}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpStore:            {Name: "store", Action: ActStore, Args: []ArgType{Address, Elements}, Elem: Numbers | Narrow, Imm: ImmOffset, Class: ClassLSU},
	OpStoreMatrix1:     {Name: "stmatrix.x1", Func: "StoreMatrix1", Action: ActStore, Args: []ArgType{Address, Elements}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpStoreMatrix2:     {Name: "stmatrix.x2", Func: "StoreMatrix2", Action: ActStore, Args: []ArgType{Address, Elements}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpStoreMatrix4:     {Name: "stmatrix.x4", Func: "StoreMatrix4", Action: ActStore, Args: []ArgType{Address, Elements}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpStoreTransposed1: {Name: "stmatrix.x1.trans", Func: "StoreTransposed1", Action: ActStore, Args: []ArgType{Address, Elements}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpStoreTransposed2: {Name: "stmatrix.x2.trans", Func: "StoreTransposed2", Action: ActStore, Args: []ArgType{Address, Elements}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpStoreTransposed4: {Name: "stmatrix.x4.trans", Func: "StoreTransposed4", Action: ActStore, Args: []ArgType{Address, Elements}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpAtomAdd:          {Name: "atom.add", Func: "AtomicAdd", Action: ActAtomic, Result: Numbers, Args: update, Elem: Numbers, Imm: ImmOffset, Class: ClassLSU},
	OpAtomMin:          {Name: "atom.min", Func: "AtomicMin", Action: ActAtomic, Result: Ints, Args: update, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpAtomMax:          {Name: "atom.max", Func: "AtomicMax", Action: ActAtomic, Result: Ints, Args: update, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpAtomAnd:          {Name: "atom.and", Func: "AtomicAnd", Action: ActAtomic, Result: Ints, Args: update, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpAtomOr:           {Name: "atom.or", Func: "AtomicOr", Action: ActAtomic, Result: Ints, Args: update, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpAtomXor:          {Name: "atom.xor", Func: "AtomicXor", Action: ActAtomic, Result: Ints, Args: update, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpAtomExch:         {Name: "atom.exch", Func: "AtomicExch", Action: ActAtomic, Result: Numbers, Args: update, Elem: Numbers, Imm: ImmOffset, Class: ClassLSU, Moves: true},
	OpAtomCAS:          {Name: "atom.cas", Func: "AtomicCAS", Action: ActAtomic, Result: Numbers, Args: []ArgType{Address, Same, Same}, Elem: Numbers | Of(U16), Imm: ImmOffset, Class: ClassLSU, Moves: true},
	OpAtomInc:          {Name: "atom.inc", Action: ActAtomic, Result: Of(U32), Args: update, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpAtomDec:          {Name: "atom.dec", Action: ActAtomic, Result: Of(U32), Args: update, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpAtomAddF16:       {Name: "atom.add.f16", Action: ActAtomic, Result: Of(U32), Args: update, Elem: halfElements, Imm: ImmOffset, Class: ClassLSU},
	OpAtomMinF16:       {Name: "atom.min.f16", Action: ActAtomic, Result: Of(U32), Args: update, Elem: halfElements, Imm: ImmOffset, Class: ClassLSU},
	OpAtomMaxF16:       {Name: "atom.max.f16", Action: ActAtomic, Result: Of(U32), Args: update, Elem: halfElements, Imm: ImmOffset, Class: ClassLSU},
	OpAtomAddBF16:      {Name: "atom.add.bf16", Action: ActAtomic, Result: Of(U32), Args: update, Elem: halfElements, Imm: ImmOffset, Class: ClassLSU},
	OpAtomMinBF16:      {Name: "atom.min.bf16", Action: ActAtomic, Result: Of(U32), Args: update, Elem: halfElements, Imm: ImmOffset, Class: ClassLSU},
	OpAtomMaxBF16:      {Name: "atom.max.bf16", Action: ActAtomic, Result: Of(U32), Args: update, Elem: halfElements, Imm: ImmOffset, Class: ClassLSU},
	OpMBarInit:         {Name: "mbarrier.init", Func: "mbarrierInit", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarInval:        {Name: "mbarrier.inval", Func: "mbarrierInval", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarArrive:       {Name: "mbarrier.arrive", Func: "mbarrierArrive", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarExpect:       {Name: "mbarrier.expect_tx", Func: "mbarrierExpect", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarArriveExpect: {Name: "mbarrier.arrive.expect_tx", Func: "mbarrierArriveExpect", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarDrop:         {Name: "mbarrier.arrive_drop", Func: "mbarrierDrop", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarDropExpect:   {Name: "mbarrier.arrive_drop.expect_tx", Func: "mbarrierDropExpect", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarArrivePart:   {Name: "mbarrier.arrive.noComplete", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarDropPart:     {Name: "mbarrier.arrive_drop.noComplete", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarTrack:        {Name: "cp.async.mbarrier.arrive", Func: "mbarrierTrack", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarCopied:       {Name: "cp.async.mbarrier.arrive.noinc", Func: "mbarrierCopied", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarTest:         {Name: "mbarrier.test_wait", Func: "mbarrierTest", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarTestParity:   {Name: "mbarrier.test_wait.parity", Func: "mbarrierTestParity", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarTry:          {Name: "mbarrier.try_wait", Func: "mbarrierTry", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpMBarTryParity:    {Name: "mbarrier.try_wait.parity", Func: "mbarrierTryParity", Action: ActAtomic, Result: Of(U64), Args: update, Elem: Of(U64), Imm: ImmOffset, Class: ClassLSU},
	OpFence:            {Name: "fence", Action: ActFence, Class: ClassFence, Fixed: true},
	OpCopy:             {Name: "cp.async", Action: ActCopy, Args: []ArgType{Address, IsU64, IsU32}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkCopy:         {Name: "cp.async.bulk", Action: ActCopy, Args: []ArgType{Address, IsU64, IsU32, IsU64}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorCopy1:      {Name: "cp.async.bulk.tensor.1d", Action: ActCopy, Args: tensor[:5], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorCopy2:      {Name: "cp.async.bulk.tensor.2d", Action: ActCopy, Args: tensor[:6], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorCopy3:      {Name: "cp.async.bulk.tensor.3d", Action: ActCopy, Args: tensor[:7], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkMulticast:    {Name: "cp.async.bulk.multicast", Action: ActCopy, Args: cast[:5], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorMulticast1: {Name: "cp.async.bulk.tensor.1d.multicast", Action: ActCopy, Args: cast[:6], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorMulticast2: {Name: "cp.async.bulk.tensor.2d.multicast", Action: ActCopy, Args: cast[:7], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorMulticast3: {Name: "cp.async.bulk.tensor.3d.multicast", Action: ActCopy, Args: cast[:8], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkSend:         {Name: "cp.async.bulk.cluster", Action: ActCopy, Args: []ArgType{Address, IsU64, IsU32, IsU64}, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpMapCopy:          {Name: "cp.async.bulk.tensor", Action: ActCopy, Args: maps, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpMapMulticast:     {Name: "cp.async.bulk.tensor.multicast", Action: ActCopy, Args: maps, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpSendStore:        {Name: "st.async", Func: "StoreAsync", Action: ActCopy, Args: values, Elem: Numbers, Imm: ImmOffset, Class: ClassLSU},
	OpSendAdd:          {Name: "red.async.add", Func: "AddAsync", Action: ActCopy, Args: values, Elem: Of(U32, S32, U64), Imm: ImmOffset, Class: ClassLSU},
	OpSendMin:          {Name: "red.async.min", Func: "MinAsync", Action: ActCopy, Args: values, Elem: Of(U32, S32), Imm: ImmOffset, Class: ClassLSU},
	OpSendMax:          {Name: "red.async.max", Func: "MaxAsync", Action: ActCopy, Args: values, Elem: Of(U32, S32), Imm: ImmOffset, Class: ClassLSU},
	OpSendInc:          {Name: "red.async.inc", Action: ActCopy, Args: values, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpSendDec:          {Name: "red.async.dec", Action: ActCopy, Args: values, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpSendAnd:          {Name: "red.async.and", Func: "AndAsync", Action: ActCopy, Args: values, Elem: Of(U32, S32), Imm: ImmOffset, Class: ClassLSU},
	OpSendOr:           {Name: "red.async.or", Func: "OrAsync", Action: ActCopy, Args: values, Elem: Of(U32, S32), Imm: ImmOffset, Class: ClassLSU},
	OpSendXor:          {Name: "red.async.xor", Func: "XorAsync", Action: ActCopy, Args: values, Elem: Of(U32, S32), Imm: ImmOffset, Class: ClassLSU},
	OpCopyCommit:       {Name: "cp.async.commit_group", Func: "Thread.CommitCopies", Action: ActCopies, Class: ClassLSU, Fixed: true},
	OpCopyWait:         {Name: "cp.async.wait_group", Action: ActCopies, Imm: ImmGroups, Class: ClassLSU, Fixed: true},
	OpBulkStore:        {Name: "cp.async.bulk.global", Func: "StoreBulk", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorStore1:     {Name: "cp.async.bulk.tensor.1d.global", Action: ActBulk, Args: boxes[:4], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorStore2:     {Name: "cp.async.bulk.tensor.2d.global", Action: ActBulk, Args: boxes[:5], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpTensorStore3:     {Name: "cp.async.bulk.tensor.3d.global", Action: ActBulk, Args: boxes[:6], Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpMapStore:         {Name: "cp.async.bulk.tensor.global", Action: ActBulk, Args: stores, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkAdd:          {Name: "cp.reduce.async.bulk.add", Func: "AddBulk", Action: ActBulk, Args: bulk, Elem: Numbers, Imm: ImmOffset, Class: ClassLSU},
	OpBulkMin:          {Name: "cp.reduce.async.bulk.min", Func: "MinBulk", Action: ActBulk, Args: bulk, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpBulkMax:          {Name: "cp.reduce.async.bulk.max", Func: "MaxBulk", Action: ActBulk, Args: bulk, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpBulkAnd:          {Name: "cp.reduce.async.bulk.and", Func: "AndBulk", Action: ActBulk, Args: bulk, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpBulkOr:           {Name: "cp.reduce.async.bulk.or", Func: "OrBulk", Action: ActBulk, Args: bulk, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpBulkXor:          {Name: "cp.reduce.async.bulk.xor", Func: "XorBulk", Action: ActBulk, Args: bulk, Elem: Ints, Imm: ImmOffset, Class: ClassLSU},
	OpBulkInc:          {Name: "cp.reduce.async.bulk.inc", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkDec:          {Name: "cp.reduce.async.bulk.dec", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkAddF16:       {Name: "cp.reduce.async.bulk.add.f16", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkMinF16:       {Name: "cp.reduce.async.bulk.min.f16", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkMaxF16:       {Name: "cp.reduce.async.bulk.max.f16", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkAddBF16:      {Name: "cp.reduce.async.bulk.add.bf16", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkMinBF16:      {Name: "cp.reduce.async.bulk.min.bf16", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkMaxBF16:      {Name: "cp.reduce.async.bulk.max.bf16", Action: ActBulk, Args: bulk, Elem: Of(U32), Imm: ImmOffset, Class: ClassLSU},
	OpBulkCommit:       {Name: "cp.async.bulk.commit_group", Func: "Thread.CommitBulk", Action: ActCopies, Class: ClassLSU, Fixed: true},
	OpBulkWait:         {Name: "cp.async.bulk.wait_group", Action: ActCopies, Imm: ImmGroups, Class: ClassLSU, Fixed: true},
	OpBulkWaitRead:     {Name: "cp.async.bulk.wait_group.read", Action: ActCopies, Imm: ImmGroups, Class: ClassLSU, Fixed: true},
	OpFenceAsync:       {Name: "fence.proxy.async", Func: "Thread.FenceAsync", Action: ActCopies, Imm: ImmMemory, Class: ClassLSU, Fixed: true},

	OpBar:           {Name: "bar", Func: "Thread.Sync", Action: ActBarrier, Class: ClassBarrier, Fixed: true},
	OpBarCount:      {Name: "bar.count", Func: "Thread.SyncCount", Action: ActBarrier, Result: Of(U32), Args: isPred, Class: ClassBarrier, Fixed: true},
	OpBarAnd:        {Name: "bar.and", Func: "Thread.SyncAnd", Action: ActBarrier, Result: Of(Pred), Args: isPred, Class: ClassBarrier, Fixed: true},
	OpBarOr:         {Name: "bar.or", Func: "Thread.SyncOr", Action: ActBarrier, Result: Of(Pred), Args: isPred, Class: ClassBarrier, Fixed: true},
	OpBarSync:       {Name: "bar.sync", Action: ActNamed, Args: named, Class: ClassBarrier, Fixed: true},
	OpRegistersGive: {Name: "setmaxnreg.dec", Action: ActNamed, Args: lanes, Imm: ImmRegisters, Class: ClassBarrier, Fixed: true},
	OpRegistersTake: {Name: "setmaxnreg.inc", Action: ActNamed, Args: lanes, Imm: ImmRegisters, Class: ClassBarrier, Fixed: true},
	OpBarArrive:     {Name: "bar.arrive", Action: ActNamed, Args: named, Class: ClassBarrier, Fixed: true},
	OpClusterArrive: {Name: "cluster.arrive", Action: ActCluster, Args: lanes, Class: ClassBarrier, Fixed: true},
	OpClusterWait:   {Name: "cluster.wait", Action: ActCluster, Args: lanes, Class: ClassBarrier, Fixed: true},
	OpWarpBar:       {Name: "warpbar", Func: "Thread.SyncWarp", Action: ActWarp, Args: lanes, Class: ClassWarp, Fixed: true},
	OpBallot:        {Name: "ballot", Func: "Thread.Ballot", Action: ActWarp, Result: Of(U32), Args: vote, Class: ClassWarp},
	OpVoteAny:       {Name: "vote.any", Func: "Thread.Any", Action: ActWarp, Result: Of(Pred), Args: vote, Class: ClassWarp},
	OpVoteAll:       {Name: "vote.all", Func: "Thread.All", Action: ActWarp, Result: Of(Pred), Args: vote, Class: ClassWarp},
	OpShfl:          {Name: "shfl", Func: "Shfl", Action: ActWarp, Result: Numbers, Args: shfl, Class: ClassShuffle},
	OpShflUp:        {Name: "shfl.up", Func: "ShflUp", Action: ActWarp, Result: Numbers, Args: shfl, Class: ClassShuffle},
	OpShflDown:      {Name: "shfl.down", Func: "ShflDown", Action: ActWarp, Result: Numbers, Args: shfl, Class: ClassShuffle},
	OpShflXor:       {Name: "shfl.xor", Func: "ShflXor", Action: ActWarp, Result: Numbers, Args: shfl, Class: ClassShuffle},
	OpMatch:         {Name: "match", Func: "Match", Action: ActWarp, Result: Of(U32), Args: []ArgType{Mask, Other}, ArgK: Of(U32, U64), Class: ClassWarp},
	OpActiveMask:    {Name: "activemask", Func: "Thread.ActiveMask", Action: ActWarp, Result: Of(U32), Class: ClassWarp},
	OpRedux:         {Name: "redux", Action: ActWarp, Result: Of(U32, S32), Args: []ArgType{Mask, Same}, Imm: ImmReduction, Class: ClassWarp},
	OpMMA:           {Name: "mma", Action: ActWarp, Result: Of(U32, S32, F32, F64), Args: tiles, ArgK: Of(U32, F64), Imm: ImmMMA, Class: ClassTensor},
	OpMovMatrix:     {Name: "movmatrix", Func: "Transpose8x8", Action: ActWarp, Result: Of(U32), Args: []ArgType{Mask, IsU32}, Class: ClassShuffle},

	OpFragment:       {Name: "wmma", Action: ActWarp, Args: []ArgType{Mask, IsU64, IsU32}, Imm: ImmFragment, Class: ClassTensor, Fixed: true},
	OpGroupMMA:       {Name: "wgmma", Action: ActWarp, Args: group, Imm: ImmSums, Class: ClassTensor, Fixed: true},
	OpGroupMMAFrom:   {Name: "wgmma.registers", Action: ActWarp, Args: group4, Imm: ImmSums, Class: ClassTensor, Fixed: true},
	OpGroupMMAFence:  {Name: "wgmma.fence", Func: "Thread.FenceSums", Action: ActWarp, Args: lanes, Class: ClassTensor, Fixed: true},
	OpGroupMMACommit: {Name: "wgmma.commit_group", Func: "Thread.CommitSums", Action: ActWarp, Args: lanes, Class: ClassTensor, Fixed: true},
	OpGroupMMAWait:   {Name: "wgmma.wait_group", Action: ActWarp, Args: lanes, Imm: ImmGroups, Class: ClassTensor, Fixed: true},
	OpSumsGet:        {Name: "sums.get", Action: ActSums, Result: Of(U32, S32, F32), Args: []ArgType{IsU32}, Imm: ImmSums, Class: ClassALU, Fixed: true},
	OpSumsSet:        {Name: "sums.set", Action: ActSums, Args: []ArgType{IsU32, Other}, ArgK: Of(U32, S32, F32), Imm: ImmSums, Class: ClassALU, Fixed: true},

	OpReadSpecial: {Name: "read", Action: ActClock, Result: Of(U64), Imm: ImmSpecial, Class: ClassSpecial, Fixed: true},
	OpSleep:       {Name: "sleep", Func: "Thread.Sleep", Action: ActSleep, Args: []ArgType{IsU32}, Class: ClassControl, Fixed: true},
	OpTrap:        {Name: "trap", Action: ActTrap, Imm: ImmTrap, Class: ClassControl, Fixed: true},

	OpBra:  {Name: "bra", Action: ActBranch, Class: ClassControl, InProgram: true},
	OpJmp:  {Name: "jmp", Action: ActJump, Class: ClassControl, InProgram: true},
	OpExit: {Name: "exit", Action: ActExit, Class: ClassControl, InProgram: true},
}
