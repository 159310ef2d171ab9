package ptxlitmus

import (
	"fmt"
	"slices"
)

// Test is one litmus test.
type Test struct {
	File      string     // as given to [Parse], for messages
	Name      string     // the file's name without directory and ".litmus"
	Title     string     // the name in the first line of the file
	Comment   string     // what the quoted strings of the header say
	Locations []Location // all that init block, code or conditions name, in order of appearance
	Registers []RegInit  // those that the init block names
	Threads   []Thread
	Observed  []Value // from "locations [...]"; nil if the test has none
	Filter    Cond    // only final states that satisfy it count; nil if the test has none
	Quant     Quant
	Cond      Cond // nil if Quant is NoCondition
}

// Location is a word in memory.
type Location struct {
	Name  string
	Value int32 // the initial value
	Pos   Pos   // where it is named first
	// Alias names the location whose memory this one shares; "" if it has its own.
	// Proxy is how its accesses reach that memory.
	Alias string
	Proxy Proxy
}

// word returns the location that has the memory of location i: itself, or what it
// aliases in the end.
func (t *Test) word(i int) int {
	for t.Locations[i].Alias != "" {
		i = t.named(t.Locations[i].Alias)
	}
	return i
}

// address returns the location that stands for the address of location i. A name for
// another proxy stands for the address that it aliases; a generic alias is an address of
// its own.
func (t *Test) address(i int) int {
	for t.Locations[i].Alias != "" && t.Locations[i].Proxy != Generic {
		i = t.named(t.Locations[i].Alias)
	}
	return i
}

func (t *Test) named(name string) int {
	return slices.IndexFunc(t.Locations, func(l Location) bool { return l.Name == name })
}

// RegInit is the initial value of a register. Registers without one start as 0.
type RegInit struct {
	Thread int // an index of Test.Threads
	Reg    string
	Value  int32  // if Loc is ""
	Loc    string // the register holds the address of this location
	Pos    Pos
}

// Thread is one column of a test.
type Thread struct {
	ID   int // the number after P
	CTA  int // the block
	GPU  int
	Code []Instr
}

// Instr is one instruction. Which fields mean something depends on Op.
type Instr struct {
	Op     Op
	Pos    Pos
	Text   string // as in the file, with single spaces
	Order  Order  // Load, Store, Atom, Red, Fence
	Scope  Scope  // the same; System for weak accesses, which have none
	Proxy  Proxy  // the same, and FenceProxy
	Volat  bool   // written as .volatile, which is relaxed at system scope
	Binary Binary // Atom, Red, BarRed, Local: the operation
	Cmp    Cmp    // Branch
	Dst    string // the register that is written; "" if none
	Loc    string // the location; "" if none
	// A and B are the operands: the value stored, added or compared; for an atom.cas
	// what is expected (A) and what is stored (B); for Local and Branch both sides.
	A, B   Operand
	Target int // Branch, Goto: an index of Code, or len(Code) for the end

	// Instance, ID and Count are the operands of a barrier, in this order. Instance says
	// which instructions meet: only those with the same one do. ID is the number of the
	// hardware's barrier among those; Count is how many threads have to arrive. ID and
	// Count are nil where the instruction does not give them.
	Instance  int32
	ID, Count *Operand
}

// Op is the kind of an instruction.
type Op uint8

// The kinds of instructions.
const (
	Load       Op = iota // Dst = Loc
	Store                // Loc = A
	Atom                 // Dst = Loc; Loc = Loc Binary A, or compare and swap
	Red                  // the same without Dst
	Fence                // fence and membar
	FenceProxy           // fence.proxy
	BarSync              // waits at a barrier of its block
	BarArrive            // arrives there and does not wait
	BarRed               // waits there and combines A of all threads by Binary into Dst
	Local                // Dst = A Binary B
	Branch               // if A Cmp B, go to Target
	Goto                 // go to Target
)

// Binary is an operation on two values.
type Binary uint8

// The operations. Move gives its first operand and is the only one for which B of a
// Local means nothing. Inc and Dec are PTX's, which wrap at the operand.
const (
	Move Binary = iota
	Add
	Sub
	Mul
	Div
	Rem
	And
	Or
	Xor
	Shl
	Shr
	Min
	Max
	Inc
	Dec
	Exch
	CAS
	Popc // of bar.red only
)

var binaryNames = [...]string{"mov", "add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr", "min", "max", "inc", "dec", "exch", "cas", "popc"}

// String returns the operation as in the format.
func (b Binary) String() string { return binaryNames[b] }

// Order is how strong an access or a fence is.
type Order uint8

// The orders. Fences are AcqRel or SC.
const (
	Weak Order = iota
	Relaxed
	Acquire
	Release
	AcqRel
	SC
)

var orderNames = [...]string{"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}

// String returns the order as in the format.
func (o Order) String() string { return orderNames[o] }

// Acquires reports whether the order has an acquire half.
func (o Order) Acquires() bool { return o == Acquire || o == AcqRel || o == SC }

// Releases reports whether the order has a release half.
func (o Order) Releases() bool { return o == Release || o == AcqRel || o == SC }

// Scope is the set of threads towards which an operation is strong.
type Scope uint8

// The scopes, from small to large.
const (
	Block Scope = iota
	Device
	System
)

var scopeNames = [...]string{"cta", "gpu", "sys"}

// String returns the scope as in the format.
func (s Scope) String() string { return scopeNames[s] }

// Proxy is the way by which an access reaches memory.
type Proxy uint8

// The proxies. Alias is of fences only.
const (
	Generic Proxy = iota
	Surface
	Texture
	Constant
	Alias
)

var proxyNames = [...]string{"generic", "surface", "texture", "constant", "alias"}

// String returns the proxy as in the format.
func (p Proxy) String() string { return proxyNames[p] }

// Operand is a constant or a register.
type Operand struct {
	Reg   string // "" for a constant
	Const int32
}

// String returns the operand as in the format.
func (o Operand) String() string {
	if o.Reg != "" {
		return o.Reg
	}
	return fmt.Sprint(o.Const)
}

// Pos is a place in the file; both numbers count from 1.
type Pos struct{ Line, Col int }

// Quant says how the condition is meant.
type Quant uint8

// The quantifiers.
const (
	NoCondition Quant = iota
	Exists            // some final state satisfies the condition
	NotExists         // none does
	ForAll            // all do
)

var quantNames = [...]string{"none", "exists", "~exists", "forall"}

// String returns the quantifier as in the format.
func (q Quant) String() string { return quantNames[q] }

// Address is the value of the address of location i of a test.
func Address(i int) int32 { return int32(8 * (i + 1)) }
