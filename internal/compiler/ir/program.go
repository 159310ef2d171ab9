package ir

import "github.com/weft-gpu/weft/internal/mma"

// Program is a kernel ready to execute: optimised code after register
// allocation, with blocks laid out linearly. The simulator, the functional
// executor and the PTX printer all start from it.
//
// A warp has NumRegs rows of 32 lanes of 64 bits, and NumPreds masks of 32
// bits. Values that are the same for all threads of a launch (constants,
// parameters) are in Uniforms and take no register, like the constant bank on
// hardware.
type Program struct {
	Name        string
	Code        []Inst
	NumRegs     int
	NumPreds    int
	Uniforms    []Uniform
	Roots       []Root
	Leaves      []Leaf
	Shared      []Var
	Local       []Var
	SharedBytes int // per block, after layout
	LocalBytes  int // per thread, after layout
	Traps       []string
	Pos         []PosInfo
	// RegCount is the estimated number of 32-bit registers per thread on
	// hardware.
	RegCount int
	// LaunchRegisters is that of Func.
	LaunchRegisters int
	// Sums is the register row of the first word of the sums of warpgroups, of which there are SumWords, behind all other rows.
	Sums, SumWords int
	// Tensors is TensorsOf the code: a launch binds them.
	Tensors []TensorUse
	// Racy are the lines of the source whose accesses may race on purpose.
	Racy []RacyLines
}

// RacyLines are lines that a comment "//weft:racy REASON" marks: the line of the
// comment and the one below it, or the whole function if it is in the function's
// doc comment.
type RacyLines struct {
	File     string
	From, To int
	Reason   string
}

// Operand is an operand of an instruction. For kind Pred it is an index into
// the predicate masks, or PredFalse or PredTrue. For other kinds a number >= 0
// is a register row and a negative number o is the uniform ^o.
type Operand int32

// The constant predicates.
const (
	PredFalse Operand = -1
	PredTrue  Operand = -2
)

// NoReg is the Dst of an instruction without a result. NoGuard is the Guard of
// an instruction that always executes.
const (
	NoReg   int32   = -1
	NoGuard Operand = -3
)

// Uniform is an operand that is the same for all threads: a constant or a
// parameter leaf.
type Uniform struct {
	K    Kind
	Leaf int    // index into Leaves, or -1
	Bits uint64 // bits of a constant
	// Space is Shared or Local if the constant is the address of a variable
	// there (window bits and offset), else Generic.
	Space Space
}

// Root is the memory object that an access must stay inside. The executors
// check every address against it.
type Root struct {
	Space Space
	Leaf  int // index of the base or pointer leaf for Global; else -1
	Var   int // index into Shared or Local; else -1
}

// MaxOperands is the largest number of operands of an instruction: a mask, and the registers of three matrices.
const MaxOperands = 1 + mma.MaxRegisters

// MaxRows is the largest number of registers and predicates that an instruction writes and reads: the results and operands of a
// product of matrices, whose mask is a constant, and which has no guard.
const MaxRows = 4 + mma.MaxRegisters

// Inst is one instruction of a Program.
type Inst struct {
	Op       Op
	K        Kind // kind of the result; for stores the register kind of the value
	ArgK     Kind // kind of the first operand if it differs from K, else K
	NSrc     uint8
	NDst     uint8 // 0, 1, or the registers of a vector
	Class    Class
	GuardNot bool
	PTX      bool // it was read from PTX: see Func.PTX
	Wmma     bool // see Value.Wmma
	Mem      Mem
	Guard    Operand
	Dst      [4]int32 // register rows, or the predicate index if K is Pred
	Src      [MaxOperands]Operand
	Imm      int64
	Root     int32 // index into Roots; -1: unknown at compile time
	To       int32 // of an asynchronous copy: the same of its destination; of a warpgroup's product, whose Root is of A: of B
	Target   int32 // OpBra, OpJmp: index into Code
	Recon    int32 // OpBra: where both sides reconverge (immediate post-dominator); -1: at the exit
	Pos      Pos
}

// NamedBarriers returns how many barriers per block a kernel with named
// barriers reserves, counted as ptxas does: up to the highest constant number,
// or all if a number is not constant; 0 if the kernel uses no named barrier.
func (p *Program) NamedBarriers() (n int) {
	for i := range p.Code {
		in := &p.Code[i]
		if in.Op.Action() != ActNamed || in.Op.SetsRegisters() {
			continue
		}
		id := Barriers - 1
		if operand := in.Src[1]; operand < 0 && p.Uniforms[^operand].Leaf < 0 {
			id = int(uint32(p.Uniforms[^operand].Bits))
		}
		n = max(n, id+1)
	}
	return n
}

// ReadOnly reports for each root of p whether it is a buffer that this kernel
// only reads with plain loads: no store, atomic or ordered access can reach it
// through any parameter. The buffer's content cannot change during a launch if,
// in addition, no buffer that the kernel may write overlaps it and nothing else
// writes it at the same time; the caller must ensure that.
func (p *Program) ReadOnly() []bool {
	only := make([]bool, len(p.Roots))
	for i, root := range p.Roots {
		only[i] = root.Space == Global
	}
	for i := range p.Code {
		in := &p.Code[i]
		switch {
		case !in.Op.Addressed() || in.Op.Action() == ActCopy || in.Op == OpLoad && in.Mem.Order == Weak:
		case in.Root >= 0:
			only[in.Root] = false
		case in.Mem.Space != Shared && in.Mem.Space != Local:
			clear(only)
		}
	}
	return only
}
