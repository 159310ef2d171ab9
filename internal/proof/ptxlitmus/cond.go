package ptxlitmus

import (
	"fmt"
	"slices"
)

// Cond is a condition on a final state: *Not, *Both, *Either or *Compare.
type Cond interface {
	// Holds reports whether the condition is true in the state.
	Holds(State) bool
	// String returns the condition as in the format.
	String() string
	// values appends what the condition reads.
	values([]Value) []Value
}

// State is a final state.
type State interface {
	// Register returns the final value of a register; thread is an index of Test.Threads.
	Register(thread int, reg string) int32
	// Memory returns the final value of a location.
	Memory(loc string) int32
}

// Value is something that a condition reads: a constant, a register or a location.
type Value struct {
	Reg    string // a register of Thread, or ""
	Thread int    // an index of Test.Threads
	ID     int    // the number after P of that thread
	Loc    string // a location, or ""
	Const  int32  // if there is neither
}

// In returns the value in a final state.
func (v Value) In(s State) int32 {
	switch {
	case v.Reg != "":
		return s.Register(v.Thread, v.Reg)
	case v.Loc != "":
		return s.Memory(v.Loc)
	}
	return v.Const
}

// String returns the value as in the format.
func (v Value) String() string {
	switch {
	case v.Reg != "":
		return fmt.Sprintf("P%d:%s", v.ID, v.Reg)
	case v.Loc != "":
		return v.Loc
	}
	return fmt.Sprint(v.Const)
}

// Cmp compares two values.
type Cmp uint8

// The comparisons; they are signed.
const (
	EQ Cmp = iota
	NE
	LT
	LE
	GT
	GE
)

var cmpNames = [...]string{"==", "!=", "<", "<=", ">", ">="}

// String returns the comparison as in conditions.
func (c Cmp) String() string { return cmpNames[c] }

// Of reports whether a and b compare so.
func (c Cmp) Of(a, b int32) bool {
	switch c {
	case EQ:
		return a == b
	case NE:
		return a != b
	case LT:
		return a < b
	case LE:
		return a <= b
	case GT:
		return a > b
	}
	return a >= b
}

// Not is true where X is not.
type Not struct{ X Cond }

// Holds implements [Cond].
func (n *Not) Holds(s State) bool { return !n.X.Holds(s) }

// String implements [Cond].
func (n *Not) String() string { return fmt.Sprintf("~(%s)", n.X) }

func (n *Not) values(v []Value) []Value { return n.X.values(v) }

// Both is true where both are.
type Both struct{ X, Y Cond }

// Holds implements [Cond].
func (a *Both) Holds(s State) bool { return a.X.Holds(s) && a.Y.Holds(s) }

// String implements [Cond].
func (a *Both) String() string { return fmt.Sprintf(`(%s /\ %s)`, a.X, a.Y) }

func (a *Both) values(v []Value) []Value { return a.Y.values(a.X.values(v)) }

// Either is true where at least one is.
type Either struct{ X, Y Cond }

// Holds implements [Cond].
func (o *Either) Holds(s State) bool { return o.X.Holds(s) || o.Y.Holds(s) }

// String implements [Cond].
func (o *Either) String() string { return fmt.Sprintf(`(%s \/ %s)`, o.X, o.Y) }

func (o *Either) values(v []Value) []Value { return o.Y.values(o.X.values(v)) }

// Compare is true where A and B compare so.
type Compare struct {
	A, B Value
	Cmp  Cmp
}

// Holds implements [Cond].
func (c *Compare) Holds(s State) bool { return c.Cmp.Of(c.A.In(s), c.B.In(s)) }

// String implements [Cond].
func (c *Compare) String() string { return fmt.Sprintf("%s %s %s", c.A, c.Cmp, c.B) }

func (c *Compare) values(v []Value) []Value {
	for _, x := range []Value{c.A, c.B} {
		if (x.Reg != "" || x.Loc != "") && !slices.Contains(v, x) {
			v = append(v, x)
		}
	}
	return v
}

// Outcome returns the registers and locations by which the final states of the test
// are told apart: what its condition, its filter and "locations [...]" name, in this
// order, each once.
func (t *Test) Outcome() []Value {
	var v []Value
	if t.Cond != nil {
		v = t.Cond.values(v)
	}
	if t.Filter != nil {
		v = t.Filter.values(v)
	}
	for _, o := range t.Observed {
		if !slices.Contains(v, o) {
			v = append(v, o)
		}
	}
	return v
}
