package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"math"
)

// Every call is inlined and every struct is flattened, so that a source of a
// few lines can need more memory than exists. These limits are far above what
// kernels need, and low enough that the compiler answers within seconds.
const (
	// maxInstructions limits the instructions of a kernel after inlining.
	// maxSteps limits the go/ssa instructions that are lowered; many of them
	// become no instruction.
	maxInstructions = 200_000
	maxSteps        = 1_000_000
	// maxFields limits the total number of scalars in the structs of a type;
	// the elements of an array count once. maxTypeDepth limits the nesting of
	// structs and arrays.
	maxFields    = 1024
	maxTypeDepth = 64
	// maxTypeBytes limits the size of a type.
	maxTypeBytes = 1 << 40
	// maxSharedBytes is the maximum shared memory of a simulated SM.
	maxSharedBytes = 1 << 20
	// maxText limits the length of a constant string.
	maxText = 64 << 10
	// maxBranches limits the branches of a function, including loops, cases and
	// logical operators: go/ssa takes time quadratic in them.
	maxBranches = 5000
)

// abandoned is the value of the panic that ends lowering at once.
type abandoned struct{ err error }

// step counts one instruction of go/ssa. From time to time it checks whether
// the compilation was cancelled.
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

// extent is the size of a type.
type extent struct {
	fields int   // scalars in it, the elements of an array counted once; at most maxFields+1
	depth  int   // nesting depth of structs and arrays; at most maxTypeDepth+1
	bytes  int64 // an upper bound of its size; at most maxTypeBytes+1
}

// extentOf returns the extent of t, and caches it. Nothing may traverse a type
// before extentOf has shown that it is small enough.
func (c *Compiler) extentOf(t types.Type) extent {
	if out, ok := c.extents[t]; ok {
		return out
	}
	out := extent{fields: 1, depth: 1, bytes: 16}
	within := func(parts int, part func(i int) types.Type) {
		out = extent{}
		for i := range parts {
			p := c.extentOf(part(i))
			out.fields = min(out.fields+p.fields, maxFields+1)
			out.depth = max(out.depth, p.depth)
			// An upper bound: each part takes whole words. The exact size would need go/types to walk the type.
			out.bytes = min(out.bytes+(p.bytes+7)/8*8, maxTypeBytes+1)
		}
		out.depth = min(out.depth+1, maxTypeDepth+1)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		within(u.NumFields(), func(i int) types.Type { return u.Field(i).Type() })
	case *types.Tuple:
		within(u.Len(), func(i int) types.Type { return u.At(i).Type() })
	case *types.Array:
		out = c.extentOf(u.Elem())
		out.depth = min(out.depth+1, maxTypeDepth+1)
		if n := u.Len(); n > 0 && out.bytes > maxTypeBytes/n {
			out.bytes = maxTypeBytes + 1
		} else {
			out.bytes *= n
		}
	}
	c.extents[t] = out
	return out
}

// tooBig returns why a type, or the type that a pointer or slice points to, is
// too large to be used; "" if it is not.
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

// fits rejects a type that is too large.
func (lo *lowerer) fits(t types.Type, pos token.Pos) {
	if why := lo.c.tooBig(t); why != "" {
		lo.fail(pos, "%s", why)
	}
}

// timesCapped returns the product of two non-negative numbers, or the largest
// int64 if it overflows.
func timesCapped(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}
