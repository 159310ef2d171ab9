package ir

import "github.com/weft-gpu/weft/device"

// Func is a kernel's body in SSA form. All calls are inlined. Blocks are in
// reverse post-order; Blocks[0] is the entry.
type Func struct {
	Name   string
	Leaves []Leaf // indexed by OpParam's Imm
	Shared []Var  // indexed by OpShared's Imm
	Local  []Var  // indexed by OpLocal's Imm
	Traps  []string
	Blocks []*Block
	Pos    []PosInfo // indexed by Value.Pos; Pos[0] is "unknown"
	// PTX: the kernel was read from PTX. Sums of 32 bits that are an index may wrap around
	// to a valid one; in Go, such an access is taken to be out of range. Reports name its
	// instructions as PTX does.
	PTX bool
	// LaunchRegisters is how many registers each thread has when the kernel begins, if that is fixed; else 0.
	LaunchRegisters int

	values, blocks int // next IDs
}

// Leaf is one scalar argument of a kernel. Go parameters are flattened into
// leaves in order; a slice becomes a base and a length.
type Leaf struct {
	Name  string // "g.Row", "depth"
	Kind  Kind   // of the register: U64 for a base or pointer, S64 for a length
	Role  Role
	Elem  Kind // for a base or pointer: kind of the element, Void for a struct; for a scalar: the kind that the source declares
	Size  int  // for a base or pointer: bytes per element
	Param int  // index of the Go parameter; -1 for a table
	// Align is the required alignment of the address if the kernel accesses
	// several elements or fields at once; 0 if the alignment of the element's
	// parts is enough.
	Align int
	// Table is set if the leaf is the address of a table of constants, which
	// the launch supplies itself; nil for all other leaves.
	Table *Table
	// Variable is set if the leaf is the address of a variable of the kernel's module.
	Variable *Variable
	// Off is where the leaf's bytes begin in its parameter, if that is passed as bytes.
	Off int
}

// Table is an array of constants that a kernel indexes at run time. It is
// read-only.
type Table struct {
	ElemSize int // bytes per outermost element
	Data     []byte
}

// Addr reports whether l is an address in global memory.
func (l *Leaf) Addr() bool { return l.Role == Base || l.Role == Pointer }

// HostKind returns the kind of the value that the host passes for a scalar: what
// the source declares, or the kind of the register if l does not say.
func (l *Leaf) HostKind() device.Kind {
	if l.Elem == Void {
		return device.Kind(l.Kind)
	}
	return device.Kind(l.Elem)
}

// Role says what a leaf holds.
type Role uint8

// The roles. A Length leaf directly follows its Base leaf.
const (
	Scalar  Role = iota
	Base         // address of a slice
	Length       // length of a slice, in elements
	Pointer      // address of one element
)

// Var is a variable in shared or local memory.
type Var struct {
	Name     string // "q": the name in the Go source, if it has one
	Elem     Kind   // kind of the innermost array element; Void for a struct
	Size     int    // bytes in total
	ElemSize int    // bytes per outermost array element
	Align    int
	Off      int // byte offset in the block's shared or the thread's local memory, set by Layout
	Pos      Pos
	// Dynamic marks shared memory whose size is set at launch; Size is 0. A
	// kernel has at most one such variable, placed after the others.
	Dynamic bool
	Fields  []Field // fields of a struct; those of nested structs have dotted names
}

// Field is a field of a struct in shared or local memory.
type Field struct {
	Name     string // "found", "head.count"
	Off      int    // byte offset in the struct
	Size     int    // bytes
	ElemSize int    // bytes per outermost array element; Size if it is not an array
}

// Place returns what is at byte offset off of the variable: the variable itself
// ("q"), or one of its fields if it is a struct, with its full name
// ("q.found").
func (v *Var) Place(off int) Field {
	for _, f := range v.Fields {
		if off >= f.Off && off < f.Off+f.Size {
			f.Name = v.Name + "." + f.Name
			return f
		}
	}
	return Field{Name: v.Name, Size: v.Size, ElemSize: v.ElemSize}
}

// Pos is a source position: an index into Func.Pos. 0 is unknown.
type Pos int32

// PosInfo is a source position and the call that it was inlined from.
type PosInfo struct {
	File      string // "kernels/bfs.go"
	Line, Col int
	Func      string // the function that contains the line
	Parent    Pos    // position of the call that inlined Func; 0 in the kernel itself
	// Ends: a thread that exits at this position has come to the end of the
	// kernel and has not left it by a return before.
	Ends bool
}

// Block is a basic block. It ends with a return (no successor), a jump (one
// successor) or a two-way branch on Cond (Succs[0] is taken if Cond is set).
type Block struct {
	ID     int
	Phis   []*Value
	Ins    []*Value
	Preds  []*Block
	Succs  []*Block
	Cond   *Value
	Pos    Pos    // of the branch
	Idom   *Block // set by Func.Dominate
	Ipdom  *Block // set by Func.Analyze; nil if only the exit post-dominates
	Depth  int    // loop nesting, set by Func.Dominate
	Rolled bool   // the loop of which it is the head, if it is one, is not unrolled
	Likely int8   // 1: Succs[0] is likely; -1: Succs[1]; 0: unknown

	domFrom, domEnd int32 // the range of blocks that it dominates, in the numbering of Dominate
}

// Value is one instruction and its result.
type Value struct {
	ID       int
	Op       Op
	K        Kind // of the result; Void for none
	ArgK     Kind // kind of the operands if it differs from K (see the op table)
	Args     []*Value
	Imm      int64
	Mem      Mem
	Guard    *Value // a Pred: the instruction executes only in lanes in which it is set; only for ops without a result
	GuardNot bool
	Wmma     bool // it is a part of a wmma instruction, which machines have that lack this one by itself: see Program.Capability
	Pos      Pos
	Block    *Block
}

// Bits returns a constant's Imm as the zero-extended bits of its kind.
func (v *Value) Bits() uint64 {
	if v.K.Bits() <= 32 {
		return uint64(uint32(v.Imm))
	}
	return uint64(v.Imm)
}

// NewBlock appends an empty block.
func (f *Func) NewBlock() *Block {
	b := &Block{ID: f.blocks}
	f.blocks++
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewValue makes a value that does not belong to a block yet.
func (f *Func) NewValue(op Op, k Kind, pos Pos, args ...*Value) *Value {
	v := &Value{ID: f.values, Op: op, K: k, Args: args, Pos: pos}
	f.values++
	return v
}

// Const makes a constant of kind k. Constants belong to no block.
func (f *Func) Const(k Kind, bits uint64) *Value {
	v := f.NewValue(OpConst, k, 0)
	if k.Bits() <= 32 {
		bits = uint64(uint32(bits))
	}
	v.Imm = int64(bits)
	return v
}

// Reserve keeps the numbers below values and blocks for those of a text that is read; new ones get higher numbers.
func (f *Func) Reserve(values, blocks int) {
	f.values, f.blocks = max(f.values, values), max(f.blocks, blocks)
}

// NumValues returns an exclusive upper bound of Value.ID.
func (f *Func) NumValues() int { return f.values }

// AddEdge makes to a successor of from.
func AddEdge(from, to *Block) {
	from.Succs = append(from.Succs, to)
	to.Preds = append(to.Preds, from)
}

// AddPos returns the index of p in f.Pos; it appends p if it is new.
func (f *Func) AddPos(p PosInfo) Pos {
	if len(f.Pos) == 0 {
		f.Pos = append(f.Pos, PosInfo{})
	}
	f.Pos = append(f.Pos, p)
	return Pos(len(f.Pos) - 1)
}
