package readptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

// typ is a type of PTX: its letter (u, s, b, f; p for predicates; h for bf16 and t for
// tf32) and its bits. pair is set for two values in one register (f16x2).
type typ struct {
	letter byte
	bits   uint8
	pair   bool
}

var types = map[string]typ{
	".u8": {'u', 8, false}, ".u16": {'u', 16, false}, ".u32": {'u', 32, false}, ".u64": {'u', 64, false},
	".s8": {'s', 8, false}, ".s16": {'s', 16, false}, ".s32": {'s', 32, false}, ".s64": {'s', 64, false},
	".b8": {'b', 8, false}, ".b16": {'b', 16, false}, ".b32": {'b', 32, false}, ".b64": {'b', 64, false}, ".b128": {'b', 128, false},
	".f16": {'f', 16, false}, ".f32": {'f', 32, false}, ".f64": {'f', 64, false}, ".f16x2": {'f', 32, true},
	".bf16": {'h', 16, false}, ".bf16x2": {'h', 32, true}, ".tf32": {'t', 32, false}, ".pred": {'p', 1, false},
	".u16x2": {'u', 32, true}, ".s16x2": {'s', 32, true},
}

func (t typ) bytes() int   { return (int(t.bits) + 7) / 8 }
func (t typ) signed() bool { return t.letter == 's' }

// real reports whether values of the type are floats of the IR.
func (t typ) real() bool { return t.letter == 'f' && t.bits >= 32 && !t.pair }

// reg returns the kind of the IR value that holds a value of the type.
func (t typ) reg() ir.Kind {
	switch {
	case t.letter == 'p':
		return ir.Pred
	case t.real() && t.bits == 32:
		return ir.F32
	case t.real():
		return ir.F64
	case t.bits == 64 && t.signed():
		return ir.S64
	case t.bits == 64:
		return ir.U64
	case t.signed() && !t.pair:
		return ir.S32
	}
	return ir.U32
}

// mem returns the kind of an element of the type in memory.
func (t typ) mem() ir.Kind {
	switch {
	case t.bits == 8 && t.signed():
		return ir.S8
	case t.bits == 8:
		return ir.U8
	case t.bits == 16 && t.signed():
		return ir.S16
	case t.bits == 16:
		return ir.U16
	}
	return t.reg()
}

// operand is an operand of an instruction.
type operand struct {
	form operandForm
	name string    // of a register, a symbol or a label; the base of an address
	not  bool      // !p
	bits uint64    // of an integer; the offset of an address or of a symbol
	real bool      // the number is a float, given as the bits of an f64; single: as those of an f32
	one  bool      // see real
	list []operand // of a vector, or the two of a|b; behind the name of an address, coordinates
}

type operandForm uint8

const (
	formReg operandForm = iota // a register, or a special one
	formNumber
	formSymbol  // a variable, a function or a label, with an offset
	formAddress // [name+offset]; name is "" for an absolute address
	formVector
	formPair // a|b
	formSkip // _
)

// statement is an instruction, a label or a declaration in a body.
type statement struct {
	line  int32
	at    int32  // index into function.places
	label string // a label stands in front; then op is ""
	op    string // "ld"
	mods  string // ".global.u32"
	guard string // the predicate; "" for none
	not   bool
	args  []operand
	call  *call
}

// call is a call instruction.
type call struct {
	results, args []operand
	target        string
	prototype     string // label of the prototype or of the list of targets; of a call by address
}

// place is a place in the source, from .loc.
type place struct {
	file, line, col int
	function        string // the label of the name of the inlined function; "" for none
	in              int32  // index of the place where it was inlined, 0 for none
}

// variable is a declared variable or parameter.
type variable struct {
	name    string
	line    int
	space   string // ".param", ".reg", ".local", ".shared", ".global", ".const"
	typ     typ
	align   int
	count   int  // elements; 1 if it is no array
	vector  int  // 1, 2 or 4
	open    bool // an array without a size
	array   bool
	extern  bool
	init    []initial
	managed bool
}

func (v *variable) size() int { return v.typ.bytes() * v.count * v.vector }

// initial is a scalar of an initial value: a number, or the address of a variable plus
// an offset.
type initial struct {
	bits    uint64
	real    bool
	one     bool
	symbol  string
	generic bool
	mask    uint64 // 0xFF00(symbol): the byte of the address
}

// function is a kernel or a device function.
type function struct {
	name    string
	line    int
	entry   bool
	params  []*variable
	results []*variable
	vars    map[string]*variable // declared in the body, .reg excepted
	regs    map[string]typ
	ranges  []regRange
	body    []statement
	defined bool
	builtIn bool   // comes with the reader
	max     [3]int // .maxntid
	req     [3]int // .reqntid
	cluster [3]int // .reqnctapercluster, 0 if it is not given
	minimum int    // .minnctapersm
	maxRegs int    // .maxnreg
	// rolled is set by .pragma "nounroll" in front of the body, for all of its loops. rolledAt has the places of such pragmas in the body, by the statement
	// that follows: each is for the loop that the block of that statement heads, if no instruction of the block stands before it.
	rolled   bool
	rolledAt []int
	tables   map[string][]string // of brx.idx: .branchtargets by label

	prototypes map[string]*prototype // of calls by address: .callprototype and .calltargets by label
}

// regRange is %r<n>: registers %r0 to %r(n-1).
type regRange struct {
	prefix string
	count  int
	typ    typ
}
