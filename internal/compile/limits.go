package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"math"
)

// Every call is inlined and every struct flattened, so that a source of a few
// lines can ask for more than fits any memory. These bounds are far above what
// kernels need, and low enough that the compiler answers within seconds.
const (
	// maxInstructions is how many instructions a kernel may have when its calls
	// are inlined, and maxSteps how many steps of go/ssa lowering may go through;
	// many of those become nothing.
	maxInstructions = 200_000
	maxSteps        = 1_000_000
	// maxFields is how many numbers the structs in a type may have in all, those
	// of an array's elements counted once, and maxTypeDepth how deep they nest.
	maxFields    = 1024
	maxTypeDepth = 64
	// maxTypeBytes is how large a type may be.
	maxTypeBytes = 1 << 40
	// maxSharedBytes is the most shared memory that a simulated SM can have.
	maxSharedBytes = 1 << 20
	// maxText is how long a constant string may be.
	maxText = 64 << 10
	// maxBranches is how many branches a function may have, loops, cases and
	// logical operators included: go/ssa takes time by the square of them.
	maxBranches = 5000
)

// abandoned is the panic that ends lowering at once.
type abandoned struct{ err error }

// step counts one instruction of go/ssa, and looks from time to time whether the
// compilation is still wanted.
func (lo *lowerer) step() {
	if lo.steps++; lo.steps > lo.c.maxSteps() || lo.f.NumValues() > 10*lo.c.maxInstructions() {
		lo.tooLarge()
	}
	if lo.steps%1024 == 0 {
		if err := lo.ctx.Err(); err != nil {
			panic(abandoned{err})
		}
	}
}

// made counts one instruction or phi of the kernel.
func (lo *lowerer) made() {
	if lo.instructions++; lo.instructions > lo.c.maxInstructions() {
		lo.tooLarge()
	}
}

func (lo *lowerer) tooLarge() {
	panic(abandoned{lo.error(token.NoPos, fmt.Sprintf("kernel %s is too large: with all calls inlined it has more than %d instructions, and the compiler stopped here; put calls that repeat in a loop, or split the kernel", lo.entry.name, lo.c.maxInstructions()))})
}

func (c *Compiler) maxInstructions() int {
	if c.limit > 0 {
		return c.limit
	}
	return maxInstructions
}

func (c *Compiler) maxSteps() int { return maxSteps / maxInstructions * c.maxInstructions() }

// extent is how large a type is.
type extent struct {
	fields int   // numbers in it, the elements of an array counted once; at most maxFields+1
	depth  int   // structs and arrays around one another; at most maxTypeDepth+1
	bytes  int64 // no less than it takes; at most maxTypeBytes+1
}

// extentOf measures t; the answer is kept. It is what tells whether anything may
// walk through the type.
func (c *Compiler) extentOf(t types.Type) extent {
	if e, ok := c.extents[t]; ok {
		return e
	}
	e := extent{fields: 1, depth: 1, bytes: 16}
	within := func(parts int, part func(i int) types.Type) {
		e = extent{}
		for i := range parts {
			p := c.extentOf(part(i))
			e.fields = min(e.fields+p.fields, maxFields+1)
			e.depth = max(e.depth, p.depth)
			e.bytes = min(e.bytes+(p.bytes+7)/8*8, maxTypeBytes+1)
		}
		e.depth = min(e.depth+1, maxTypeDepth+1)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		within(u.NumFields(), func(i int) types.Type { return u.Field(i).Type() })
	case *types.Tuple:
		within(u.Len(), func(i int) types.Type { return u.At(i).Type() })
	case *types.Array:
		e = c.extentOf(u.Elem())
		e.depth = min(e.depth+1, maxTypeDepth+1)
		if n := u.Len(); n > 0 && e.bytes > maxTypeBytes/n {
			e.bytes = maxTypeBytes + 1
		} else {
			e.bytes *= n
		}
	}
	c.extents[t] = e
	return e
}

// tooBig says why a type cannot be used, or what a pointer or slice of it points
// to; "" if it can.
func (c *Compiler) tooBig(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		t = u.Elem()
	case *types.Slice:
		t = u.Elem()
	}
	switch e := c.extentOf(t); {
	case e.depth > maxTypeDepth:
		return fmt.Sprintf("type %s nests structs and arrays deeper than %d; make it flat", c.typeName(t), maxTypeDepth)
	case e.fields > maxFields:
		return tooManyFields(c.typeName(t))
	case e.bytes > maxTypeBytes:
		return fmt.Sprintf("type %s takes more than %d bytes, which no GPU has; use a buffer that is a parameter", c.typeName(t), int64(maxTypeBytes))
	}
	return ""
}

func tooManyFields(name string) string {
	return fmt.Sprintf("type %s has more than %d fields with those of the structs in it; use arrays, or several types", name, maxFields)
}

// fits refuses a type that is too large.
func (lo *lowerer) fits(t types.Type, pos token.Pos) {
	if why := lo.c.tooBig(t); why != "" {
		lo.fail(pos, "%s", why)
	}
}

// timesCapped returns a product of two numbers that are not negative, or the
// largest number.
func timesCapped(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}
