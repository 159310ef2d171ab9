package generate

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"strings"
)

// Signature is the parameter list of every kernel.
const Signature = "t gpu.Thread, in In, par Par, own []uint64, out []uint64, rec []Pair, acc Acc, net Net"

// Kernel is a generated kernel.
type Kernel struct {
	Name        string
	Seed        uint64
	Grid, Block int
	Ends        Ends
	Source      string // its functions, formatted
}

// Ends says how a kernel ends.
type Ends string

// The ways to end.
const (
	Well      Ends = ""          // with the correct results
	Hang      Ends = "hang"      // on every device: its warps wait at barriers of different kinds
	Unwritten Ends = "unwritten" // with an error on func: it reads memory that has not been written
	Undefined Ends = "undefined" // with an error on func: PTX leaves it undefined
)

// gen is the state of the generator.
type gen struct {
	r       *rand.Rand
	b       strings.Builder
	depth   int // of indentation
	names   int
	budget  int // statements left
	vars    []*variable
	loops   []*loopInfo
	helpers []helper
	prefix  string
	places  int // places of corpus.Net used so far
	// blocks blocks of threads threads are launched.
	blocks, threads int
	// uniform: all threads of the block execute this code; collectives: and
	// none of them has exited.
	uniform, collectives bool
	// wide: the kernel has any number of threads, and more: see Wide.
	wide bool
}

// Wide is the first seed of kernels whose blocks have any number of threads, which
// convert floats that do not fit, shuffle in warps that lack lanes, and may end
// with what PTX leaves undefined. Those of smaller seeds stay as they were.
const Wide = 10_000

func (g *gen) n(n int) int { return g.r.IntN(n) }

// helper is a generated function without side effects; ok: it returns a bool
// besides its result.
type helper struct {
	name   string
	params []kind
	result kind
	ok     bool
}

// New generates the kernel of a seed with the given name.
func New(name string, seed uint64) (Kernel, error) {
	g := &gen{r: rand.New(rand.NewPCG(seed, 0x9E3779B97F4A7C15)), prefix: strings.ToLower(name)}
	k := Kernel{Name: name, Seed: seed, Grid: 1 + g.n(3), Block: []int{32, 40, 48, 64}[g.n(4)]}
	switch g.n(16) {
	case 0:
		k.Ends, k.Block = Hang, 64
	case 1:
		k.Ends = Unwritten
	}
	if g.wide = seed >= Wide; g.wide && k.Ends == Well {
		k.Block = []int{17, 31, 32, 33, 40, 48, 57, 63, 64}[g.n(9)]
		if g.n(6) == 0 {
			k.Ends, k.Block = Undefined, []int{33, 40, 48, 63, 64}[g.n(5)]
		}
	}
	g.blocks, g.threads = k.Grid, k.Block
	for range max(g.n(5)-2, 0) {
		g.helper()
	}
	g.kernel(name, k.Ends)
	text, err := format.Source([]byte(g.b.String()))
	if err != nil {
		return k, fmt.Errorf("seed %d: %w\n%s", seed, err, g.b.String())
	}
	k.Source = string(text)
	return k, nil
}

func (g *gen) kernel(name string, end Ends) {
	g.line("func %s(%s) {", name, Signature)
	g.depth++
	g.line("h := uint64(t.Global())")
	g.vars = []*variable{}
	g.uniform, g.collectives = true, end != Well || g.n(4) > 0
	g.budget = 7 + g.n(10)
	for range 2 + g.n(3) {
		g.declaration()
	}
	for g.budget > 0 {
		g.budget--
		g.statement()
	}
	g.badEnd(end)
	at := "t.Global()*Outs+"
	if g.n(2) == 0 && end != Undefined { // nobody waits for threads that return behind a barrier around which they went
		c := g.boolExpr(2)
		g.line("if %s {", c)
		g.line("\tout[%s5] = h", at)
		g.line("\treturn")
		g.line("}")
		g.collectives = false
		if g.wide && g.n(2) == 0 { // nobody waits for threads that have returned
			g.line("h += uint64(t.SyncCount(par.G))")
		}
		g.budget = 4
		for g.budget > 0 {
			g.budget--
			g.statement()
		}
	}
	for _, v := range g.vars {
		g.mix(v)
	}
	if v := g.variable(pair); v != nil {
		g.line("rec[t.Global()] = %s", v.name)
	} else {
		k := g.expr(s64, 1)
		g.line("rec[t.Global()].B = %s", k)
	}
	g.line("out[%s0] = h", at)
	for i := 1; i <= 4 && i <= len(g.vars); i++ {
		p, k := g.descend(g.vars[len(g.vars)-i])
		g.line("out[%s%d] = %s", at, i, bitsOf(k, p))
	}
	g.depth--
	g.line("}")
}

// helper writes a function of a few scalars.
func (g *gen) helper() {
	h := helper{name: fmt.Sprintf("%sf%d", g.prefix, len(g.helpers)), result: g.kind(), ok: g.n(3) == 0}
	g.vars = nil
	var params []string
	for range 1 + g.n(3) {
		k := g.kind()
		h.params = append(h.params, k)
		params = append(params, fmt.Sprintf("%s %v", g.declare(scalars[k], false).name, k))
	}
	result := h.result.String()
	ret := func() string { return "return " + g.expr(h.result, 2) }
	if h.ok {
		result = "(" + result + ", bool)"
		ret = func() string { return "return " + g.expr(h.result, 2) + ", " + g.expr(boolK, 2) }
	}
	g.line("func %s(t gpu.Thread, in In, par Par, %s) %s {", h.name, strings.Join(params, ", "), result)
	g.depth++
	n := len(g.vars)
	for range 1 + g.n(2) {
		g.line("if %s {", g.boolExpr(2))
		g.line("\t%s", ret())
		g.line("}")
		if p, k, ok := g.write(); ok && k.int() {
			g.line("for i := range uint32(3) {")
			g.line("\tif i == %s&3 {", g.factor(u32))
			g.line("\t\t%s", ret())
			g.line("\t}")
			g.line("\t%s ^= %s", p, g.expr(k, 2))
			g.line("}")
		}
	}
	g.line("%s", ret())
	g.depth--
	g.line("}")
	g.line("")
	g.vars = g.vars[:n]
	g.vars = nil
	g.helpers = append(g.helpers, h)
}

// call returns a call of a helper.
func (g *gen) call(h helper, depth int) string {
	s := h.name + "(t, in, par"
	for _, k := range h.params {
		s += ", " + g.operand(k, min(depth-1, 1))
	}
	return s + ")"
}

// helperCall returns an expression of kind k that calls a helper if one has a
// suitable type.
func (g *gen) helperCall(k kind, depth int) string {
	for _, h := range g.helpers {
		if !h.ok && h.result == k && g.n(2) == 0 {
			return g.call(h, depth)
		}
	}
	return fmt.Sprintf("(%s ^ %s)", g.expr(k, depth-1), g.expr(k, depth-1))
}

// helperStatement calls a helper with two results.
func (g *gen) helperStatement() {
	for _, h := range g.helpers {
		if h.ok {
			s := g.call(h, 2)
			a, c := g.declare(scalars[h.result], false), g.declare(scalars[boolK], false)
			g.line("%s, %s := %s", a.name, c.name, s)
			return
		}
	}
	g.declaration()
}
