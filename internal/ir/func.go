package ir

// Func is a kernel's body in SSA form: every call inlined, blocks in reverse
// post-order with Blocks[0] the entry.
type Func struct {
	Name   string
	Leaves []Leaf // what OpParam's Imm indexes
	Shared []Var  // what OpShared's Imm indexes
	Local  []Var  // what OpLocal's Imm indexes
	Traps  []string
	Blocks []*Block
	Pos    []PosInfo // Pos indexes it; Pos[0] is "unknown"

	values, blocks int // next IDs
}

// Leaf is one scalar that a kernel receives: Go parameters are flattened into
// leaves in order (a slice gives a base and a length).
type Leaf struct {
	Name  string // "g.Row", "depth"
	Kind  Kind   // of the register: U64 for a base or pointer, S64 for a length
	Role  Role
	Elem  Kind // for a base or pointer: kind of the element; Void for a struct
	Size  int  // for a base or pointer: bytes per element
	Param int  // index of the Go parameter; -1 for a table
	// Align is what the address must be a multiple of, because the kernel reads or writes
	// elements at once; 0 where that of their parts will do.
	Align int
	// Table is what a pointer points to that the launch gives by itself: a table of
	// constants. nil for all others.
	Table *Table
}

// Table is constants that a kernel reads by run-time indices. Nobody writes them.
type Table struct {
	ElemSize int // bytes per outermost element
	Data     []byte
}

// Addr is true of a leaf that is an address of global memory.
func (l *Leaf) Addr() bool { return l.Role == Base || l.Role == Pointer }

// Role says what a leaf is.
type Role uint8

// The roles. A Length leaf follows its Base leaf directly.
const (
	Scalar  Role = iota
	Base         // of a slice
	Length       // of a slice, elements
	Pointer      // to one element
)

// Var is a variable in shared or local memory.
type Var struct {
	Name     string // "q", from the Go source where it has a name
	Elem     Kind   // kind of the innermost array element; Void for a struct
	Size     int    // bytes, all in all
	ElemSize int    // bytes per outermost array element
	Align    int
	Off      int // byte offset in the block's (thread's) memory, set by Layout
	Pos      Pos
	// Dynamic is shared memory whose size the launch gives; Size is 0. A kernel has at
	// most one, behind the others.
	Dynamic bool
	Fields  []Field // of a struct, those of structs in it with dots in their names
}

// Field is a part of a struct in shared or local memory.
type Field struct {
	Name     string // "found", "head.count"
	Off      int    // byte offset in the struct
	Size     int    // bytes
	ElemSize int    // bytes per outermost array element, Size where it is no array
}

// Place names what lies at byte off of the variable: the variable "q" itself,
// or where it is a struct its field "q.found", with the whole name.
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

// PosInfo is a position with the call it was inlined from.
type PosInfo struct {
	File      string // "kernels/bfs.go"
	Line, Col int
	Func      string // the function that holds the line
	Parent    Pos    // the call that inlined Func; 0 in the kernel itself
}

// Block is a basic block. It ends in a return (no successor), a jump (one) or
// a two-way branch on Cond (Succs[0] when Cond is set).
type Block struct {
	ID     int
	Phis   []*Value
	Ins    []*Value
	Preds  []*Block
	Succs  []*Block
	Cond   *Value
	Pos    Pos    // of the branch
	Idom   *Block // set by Func.Dominate
	Ipdom  *Block // set by Func.Analyze; nil where only the exit post-dominates
	Depth  int    // loop nesting, set by Func.Dominate
	Likely int8   // 0 unknown

	domFrom, domEnd int32 // what it dominates, by numbers that Dominate gives
}

// Value is one instruction and its result.
type Value struct {
	ID       int
	Op       Op
	K        Kind // of the result; Void for none
	ArgK     Kind // kind of the operands where it differs from K (see the op table)
	Args     []*Value
	Imm      int64
	Mem      Mem
	Guard    *Value // Pred: the instruction acts only where it is set; for ops without a result
	GuardNot bool
	Pos      Pos
	Block    *Block
}

// Bits returns Imm of a constant as the zero-extended bits of its kind.
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

// NewValue makes a value that stands in no block yet.
func (f *Func) NewValue(op Op, k Kind, pos Pos, args ...*Value) *Value {
	v := &Value{ID: f.values, Op: op, K: k, Args: args, Pos: pos}
	f.values++
	return v
}

// Const makes a constant of kind k; constants stand in no block.
func (f *Func) Const(k Kind, bits uint64) *Value {
	v := f.NewValue(OpConst, k, 0)
	if k.Bits() <= 32 {
		bits = uint64(uint32(bits))
	}
	v.Imm = int64(bits)
	return v
}

// NumValues returns an upper bound of Value.ID.
func (f *Func) NumValues() int { return f.values }

// NumBlocks returns an upper bound of Block.ID of blocks made by NewBlock.
func (f *Func) NumBlocks() int { return f.blocks }

// AddEdge makes to a successor of from.
func AddEdge(from, to *Block) {
	from.Succs = append(from.Succs, to)
	to.Preds = append(to.Preds, from)
}

// AddPos interns a position.
func (f *Func) AddPos(p PosInfo) Pos {
	if len(f.Pos) == 0 {
		f.Pos = append(f.Pos, PosInfo{})
	}
	f.Pos = append(f.Pos, p)
	return Pos(len(f.Pos) - 1)
}
