package readptx

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
)

// maxStatements bounds the size of a kernel with all that is in line.
const maxStatements = 2_000_000

// builder builds one kernel.
type builder struct {
	ssa
	m     *Module
	entry *Entry
	known known
	cur   *ir.Block
	next  *ir.Block // where the current part goes on behind its last statement; nil at the end of the body
	frame *frame
	pos   ir.Pos
	line  int32
	done  int // statements so far
	carry int32

	locals   map[string]*ir.Value // the constants of addresses, by what they are of
	params   []paramLeaf
	poses    map[posKey]ir.Pos
	trapOf   map[string]int64
	sharedIn map[*function]map[string]bool     // registers: see inShared
	messages map[*ir.Value]map[int64]*ir.Value // what .param variables of a call hold, for assert
}

// paramLeaf is a part of a parameter that the kernel reads.
type paramLeaf struct {
	param, off int
	kind       ir.Kind
	value      *ir.Value
}

type posKey struct {
	place int32
	frame *frame
}

// frame is a function in the course of being built: the kernel, or a call.
type frame struct {
	fn     *function
	outer  *frame
	called ir.Pos // the call
	regs   map[string]int32
	vars   map[string]*ir.Value // addresses of .local and .param variables
	blocks map[string]*ir.Block
	ret    *ir.Block // where a call goes on; nil in the kernel
}

// buildError carries an error up to build.
type buildError struct{ err error }

func (b *builder) fail(format string, args ...any) {
	panic(buildError{&Error{b.m.Name, int(b.line), fmt.Sprintf(format, args...)}})
}

// build builds a kernel: its SSA form, its optimised form and its program.
func (m *Module) build(e *Entry) (k *ir.Kernel, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			stop, ok := cause.(buildError)
			if !ok {
				panic(cause)
			}
			k, err = nil, fmt.Errorf("kernel %s: %w", e.Name, stop.err)
		}
	}()
	fn := m.functions[e.Name]
	if refused := m.refusedIn(fn); len(refused) > 0 {
		return nil, &RefusedError{Kernel: m.title(e), List: refused}
	}
	f := &ir.Func{Name: e.Name, PTX: true, Pos: []ir.PosInfo{{}}}
	b := &builder{
		m: m, entry: e, known: known{}, locals: map[string]*ir.Value{}, poses: map[posKey]ir.Pos{}, trapOf: map[string]int64{},
		sharedIn: map[*function]map[string]bool{}, messages: map[*ir.Value]map[int64]*ir.Value{},
		ssa: ssa{f: f, zero: map[ir.Kind]*ir.Value{}},
	}
	b.carry = b.register(ir.Pred)
	b.cur = b.block()
	b.seal(b.cur)
	b.frame = &frame{fn: fn, regs: map[string]int32{}, vars: map[string]*ir.Value{}, blocks: map[string]*ir.Block{}}
	b.run()
	b.finish()
	k = m.described(e)
	k.Func = f
	for i, p := range e.Params {
		one := p.forKernel()
		for _, l := range b.params {
			if l.param == i {
				one.Leaves = append(one.Leaves, int(l.value.Imm))
			}
		}
		k.Params = append(k.Params, one)
	}
	if err := f.Verify(); err != nil {
		return nil, fmt.Errorf("kernel %s of %s: the reader made a kernel that is not valid: %w", e.Name, m.Name, err)
	}
	// clang and nvcc have unrolled loops with a constant number of rounds if they think that it pays. Counted loops are those of ptxas, as in
	// kernels of Go, unless a pragma keeps them. Their counters stay as they are, for they often do nothing but count, and a counter that begins one
	// step later is compared before the step.
	if err := opt.Optimize(f, opt.Options{Disable: map[string]bool{"unroll": true, "rebase": true}}); err != nil {
		return nil, fmt.Errorf("kernel %s of %s: %w", e.Name, m.Name, err)
	}
	if k.Program, err = opt.Program(f); err != nil {
		return nil, fmt.Errorf("kernel %s of %s: %w", e.Name, m.Name, err)
	}
	if f.LaunchRegisters == 0 {
		k.Program.RegCount = e.registers(k.Program.RegCount)
	}
	return k, nil
}

// registers bounds the estimate of registers as the directives of the kernel bound the
// assembler: its blocks fit an SM with 64K registers as often as they say.
func (e *Entry) registers(n int) int {
	if e.MaxRegisters > 0 {
		n = min(n, e.MaxRegisters)
	}
	block := e.MaxBlock
	if e.OnlyBlock[0] > 0 {
		block = e.OnlyBlock
	}
	if threads := block[0] * block[1] * block[2]; threads > 0 {
		n = opt.FitRegisters(n, threads, e.MinBlocks)
	}
	return n
}

// run builds the body of the frame's function, from the current block on.
func (b *builder) run() {
	fr := b.frame
	body := fr.fn.body
	if b.done += len(body); b.done > maxStatements {
		b.fail("the kernel has more than %d statements, with all functions in line", maxStatements)
	}
	parts, at := fr.fn.split(b)
	irs := make([]*ir.Block, len(parts))
	left := make([]int, len(parts)) // predecessors that are not built yet
	for i := range parts {
		irs[i] = b.block()
		irs[i].Rolled = b.m.rolled || fr.fn.rolled || fr.fn.rolls(&parts[i])
	}
	for name, i := range at {
		fr.blocks[name] = irs[i]
	}
	order := reachable(parts)
	for _, i := range order {
		for _, to := range parts[i].succs {
			left[to]++
		}
	}
	ir.AddEdge(b.cur, irs[0])
	if left[0] == 0 {
		b.seal(irs[0])
	}
	for _, i := range order {
		b.cur = irs[i]
		part := &parts[i]
		if b.next = nil; part.falls >= 0 {
			b.next = irs[part.falls]
		}
		for n := part.from; n < part.to; n++ {
			if s := &body[n]; s.label == "" {
				b.statement(s)
			}
		}
		if part.falls >= 0 {
			b.jump(irs[part.falls]) // unless a branch has done so
		} else if part.falls == fallsOut {
			b.leave()
		}
		for _, to := range part.succs {
			if left[to]--; left[to] == 0 {
				b.seal(irs[to])
			}
		}
	}
	// Blocks that nothing reaches stay empty; Verify drops them.
	for i := range irs {
		b.seal(irs[i])
	}
}

// part is a basic block of a body.
type part struct {
	from, to int
	succs    []int // without doubles
	falls    int   // the part behind it, if its last statement goes on there
}

// rolls reports whether a pragma says that the loop of which a part is the head stays as it is.
func (f *function) rolls(p *part) bool {
	first := p.from // the first instruction
	for first < p.to && f.body[first].label != "" {
		first++
	}
	return slices.ContainsFunc(f.rolledAt, func(at int) bool { return at >= p.from && at <= first })
}

// The values of part.falls for a part that does not fall into another.
const (
	fallsNowhere = -1
	fallsOut     = -2 // off the end of the body, as a return
)

// split finds the basic blocks of a body, and the part of each label.
func (f *function) split(b *builder) (parts []part, at map[string]int) {
	wanted := map[string]bool{}
	for i := range f.body {
		switch s := &f.body[i]; s.op {
		case "bra":
			for _, a := range s.args {
				wanted[a.name] = true
			}
		case "brx":
			if len(s.args) > 1 {
				for _, l := range f.tables[s.args[1].name] {
					wanted[l] = true
				}
			}
		}
	}
	at = map[string]int{}
	start := 0
	end := func(to int) {
		parts = append(parts, part{from: start, to: to, falls: fallsNowhere})
		start = to
	}
	for i := range f.body {
		s := &f.body[i]
		if s.label != "" && wanted[s.label] {
			if i > start {
				end(i)
			}
			if _, twice := at[s.label]; twice {
				b.line = s.line
				b.fail("a second label %s", s.label)
			}
			at[s.label] = len(parts)
		}
		switch s.op {
		case "bra", "brx", "ret", "exit":
			end(i + 1)
		}
	}
	end(len(f.body))
	for i := range parts {
		p := &parts[i]
		add := func(to int) {
			if !slices.Contains(p.succs, to) {
				p.succs = append(p.succs, to)
			}
		}
		label := func(s *statement, name string) {
			to, ok := at[name]
			if !ok {
				b.line = s.line
				b.fail("%s goes to %s, and there is no such label in %s", s.op, name, f.name)
			}
			add(to)
		}
		falls := true
		if p.to > p.from {
			switch s := &f.body[p.to-1]; s.op {
			case "bra":
				falls = s.guard != ""
				if len(s.args) != 1 {
					b.line = s.line
					b.fail("bra has the operand label")
				}
				label(s, s.args[0].name)
			case "brx":
				falls = s.guard != ""
				if len(s.args) != 2 || len(f.tables[s.args[1].name]) == 0 {
					b.line = s.line
					b.fail("brx.idx has the operands index, list; list is the label of a .branchtargets")
				}
				for _, l := range f.tables[s.args[1].name] {
					label(s, l)
				}
			case "ret", "exit":
				falls = s.guard != ""
			}
		}
		switch {
		case falls && i+1 < len(parts):
			p.falls = i + 1
			add(i + 1)
		case falls:
			p.falls = fallsOut
		}
	}
	return parts, at
}

// reachable returns the parts that can be reached, in reverse post-order.
func reachable(parts []part) []int {
	seen := make([]bool, len(parts))
	var order []int
	// With a stack of its own: a body may have a hundred thousand blocks in a row.
	type step struct{ part, next int }
	todo := []step{{0, 0}}
	seen[0] = true
	for len(todo) > 0 {
		top := &todo[len(todo)-1]
		if succs := parts[top.part].succs; top.next < len(succs) {
			to := succs[top.next]
			if top.next++; !seen[to] {
				seen[to] = true
				todo = append(todo, step{to, 0})
			}
			continue
		}
		order = append(order, top.part)
		todo = todo[:len(todo)-1]
	}
	slices.Reverse(order)
	return order
}

// jump ends the current block, if nothing has ended it.
func (b *builder) jump(to *ir.Block) {
	if b.cur == nil {
		return
	}
	b.cur.Pos = b.pos
	ir.AddEdge(b.cur, to)
	b.cur = nil
}

// leave ends the current block by a return.
func (b *builder) leave() {
	if b.cur == nil {
		return
	}
	if b.frame.ret != nil {
		b.jump(b.frame.ret)
		return
	}
	b.exit()
}

// exit ends the current block by the end of the thread.
func (b *builder) exit() {
	b.cur.Pos = b.pos
	b.cur = nil
}

// fork ends the current block: threads in which the predicate is set go to yes, the others to no.
func (b *builder) fork(cond *ir.Value, not bool, yes, no *ir.Block) {
	if yes == no {
		b.jump(yes)
		return
	}
	if not {
		yes, no = no, yes
	}
	b.cur.Pos, b.cur.Cond = b.pos, cond
	ir.AddEdge(b.cur, yes)
	ir.AddEdge(b.cur, no)
	b.cur = nil
}

// statement builds one instruction.
func (b *builder) statement(s *statement) {
	b.line = s.line
	b.pos = b.position(s.at, b.frame)
	in, wrong := b.known.look(s)
	if wrong != "" {
		b.fail("%s", wrong)
	}
	if s.guard == "" || in.form.pure || in.form.guards || s.op == "bra" || s.op == "brx" || s.op == "ret" || s.op == "exit" {
		in.form.build(b, &in)
		return
	}
	// Everything else under a predicate is a branch around it.
	then, after := b.block(), b.block()
	b.fork(b.predicate(s.guard), s.not, then, after)
	b.seal(then)
	b.cur = then
	plain := *s
	plain.guard = ""
	in.statement = &plain
	in.form.build(b, &in)
	b.jump(after)
	b.seal(after)
	b.cur = after
}

// position returns the position of a place of a function.
func (b *builder) position(at int32, fr *frame) ir.Pos {
	if fr.fn.builtIn { // no code of the program
		return fr.called
	}
	key := posKey{at, fr}
	if p, ok := b.poses[key]; ok {
		return p
	}
	where := b.m.places[at]
	info := ir.PosInfo{Line: where.line, Col: where.col, Func: demangled(fr.fn.name), Parent: fr.called}
	if where.file > 0 && where.file < len(b.m.files) {
		info.File = b.m.files[where.file]
	}
	if where.function != "" {
		if name := b.m.strings[where.function]; name != "" {
			info.Func = demangled(name)
		}
	}
	if where.in > 0 {
		info.Parent = b.position(where.in, fr)
	}
	if info.File == "" { // no line of a source: that of the PTX
		info.File, info.Line, info.Col = b.m.Name, int(b.line), 0
		return b.f.AddPos(info)
	}
	p := b.f.AddPos(info)
	b.poses[key] = p
	return p
}
