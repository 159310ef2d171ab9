package ptxlitmus

import (
	"slices"
	"strings"
)

// cell reads what stands in one column of a row: an instruction, a label, or a label
// and an instruction.
func (p *parser) cell(thread int) error {
	for p.tok.text != "|" && p.tok.text != ";" {
		t := p.tok
		if t.kind != word {
			return p.errorf(t.pos, "expected an instruction or a label, got %s", t)
		}
		start := p.at - len(t.text)
		if err := p.advance(); err != nil {
			return err
		}
		if ok, err := p.got(":"); err != nil {
			return err
		} else if ok {
			if _, ok := p.labels[thread][t.text]; ok {
				p.report(p.errorf(t.pos, "label %s is set twice in this thread", t.text))
			}
			p.labels[thread][t.text] = len(p.test.Threads[thread].Code)
			continue
		}
		in := Instr{Pos: t.pos, Scope: System}
		err := p.instruction(&in, thread, t)
		end := p.at - len(p.tok.text)
		in.Text = strings.Join(strings.Fields(p.src[start:end]), " ")
		th := &p.test.Threads[thread]
		th.Code = append(th.Code, in)
		if err != nil {
			return err
		}
		if p.tok.text != "|" && p.tok.text != ";" {
			return p.errorf(p.tok.pos, "expected \"|\" or \";\" after the instruction, got %s", p.tok)
		}
	}
	return nil
}

// opcode is the word of an instruction, split at its dots.
type opcode struct {
	tok   token
	base  string   // before the first dot
	quals []string // after it, those that have not been used yet
}

// take removes the first of the qualifiers that is one of names and returns its index,
// or -1.
func (o *opcode) take(names ...string) int {
	for i, q := range o.quals {
		if k := slices.Index(names, q); k >= 0 {
			o.quals = slices.Delete(o.quals, i, i+1)
			return k
		}
	}
	return -1
}

// instruction reads the operands of the instruction whose opcode is t.
func (p *parser) instruction(in *Instr, thread int, t token) error {
	parts := strings.Split(t.text, ".")
	op := &opcode{t, parts[0], parts[1:]}
	var err error
	switch op.base {
	case "ld", "tld", "suld", "cold":
		in.Proxy = map[string]Proxy{"tld": Texture, "suld": Surface, "cold": Constant}[op.base]
		err = p.load(in, op)
	case "st", "sust":
		in.Proxy = map[string]Proxy{"sust": Surface}[op.base]
		err = p.store(in, op)
	case "atom", "suatom", "red", "sured":
		in.Proxy = map[string]Proxy{"suatom": Surface, "sured": Surface}[op.base]
		err = p.atomic(in, op)
	case "fence", "membar":
		err = p.fence(in, op)
	case "bar", "barrier":
		err = p.barrier(in, op)
	case "beq", "bne", "blt", "ble", "bgt", "bge":
		in.Op = Branch
		in.Cmp = map[string]Cmp{"beq": EQ, "bne": NE, "blt": LT, "ble": LE, "bgt": GT, "bge": GE}[op.base]
		if err = p.operands(&in.A, &in.B); err == nil {
			err = p.need(",", "before the label")
		}
		if err == nil {
			err = p.branch(thread)
		}
	case "goto", "bra":
		in.Op = Goto
		err = p.branch(thread)
	default:
		err = p.local(in, op)
	}
	if err == nil && len(op.quals) > 0 {
		err = p.errorf(t.pos, "%s does not take .%s", t.text, op.quals[0])
	}
	return err
}

// branch reads a label.
func (p *parser) branch(thread int) error {
	if p.tok.kind != word {
		return p.errorf(p.tok.pos, "expected a label, got %s", p.tok)
	}
	p.jumps = append(p.jumps, jump{thread, len(p.test.Threads[thread].Code), p.tok})
	return p.advance()
}

// destination reads a register that is written.
func (p *parser) destination(in *Instr) error {
	if !isRegister(p.tok.text) {
		return p.errorf(p.tok.pos, "expected a register such as r0, got %s", p.tok)
	}
	in.Dst = p.tok.text
	return p.advance()
}

// operands reads registers or constants with commas between them.
func (p *parser) operands(to ...*Operand) error {
	for i, o := range to {
		if i > 0 {
			if err := p.need(",", "between the operands"); err != nil {
				return err
			}
		}
		if isRegister(p.tok.text) {
			o.Reg = p.tok.text
			if err := p.advance(); err != nil {
				return err
			}
			continue
		}
		if p.tok.kind != number {
			return p.errorf(p.tok.pos, "expected a register or a number, got %s", p.tok)
		}
		v, err := p.constant()
		if err != nil {
			return err
		}
		o.Const = v
	}
	return nil
}

// place reads a location, x or [x].
func (p *parser) place(in *Instr) error {
	open, err := p.got("[")
	if err != nil {
		return err
	}
	in.Loc = p.tok.text
	if _, err := p.location(p.tok); err != nil {
		return err
	}
	if err := p.advance(); err != nil || !open {
		return err
	}
	return p.need("]", "after the location")
}

// strength takes the order and the scope from an opcode. orders are those that it may
// have; without one it has the order none.
func (p *parser) strength(in *Instr, op *opcode, none Order, orders ...Order) error {
	in.Order = none
	if k := op.take(orderNames[:]...); k >= 0 {
		in.Order = Order(k)
		if !slices.Contains(orders, in.Order) {
			return p.errorf(op.tok.pos, "%s cannot be .%s; it can be %s", op.base, in.Order, orderList(orders))
		}
	}
	scope := op.take(scopeNames[:]...)
	switch {
	case in.Order == Weak && scope >= 0:
		return p.errorf(op.tok.pos, "%s: a weak access has no scope", op.tok.text)
	case in.Order != Weak && scope < 0:
		return p.errorf(op.tok.pos, "%s needs a scope: .cta, .gpu or .sys", op.tok.text)
	case scope >= 0:
		in.Scope = Scope(scope)
	}
	return nil
}

func orderList(orders []Order) string {
	var s []string
	for _, o := range orders {
		s = append(s, "."+o.String())
	}
	return strings.Join(s, ", ")
}

// volatile takes .volatile, which is relaxed at system scope.
func (op *opcode) volatile(in *Instr) bool {
	if op.take("volatile") < 0 {
		return false
	}
	in.Order, in.Scope, in.Volat = Relaxed, System, true
	return true
}

// load reads ld.relaxed.gpu r0, x, or ld r0, 1, which moves a value; older tests write
// ld.weak for that, too.
func (p *parser) load(in *Instr, op *opcode) error {
	if !op.volatile(in) {
		if err := p.strength(in, op, Weak, Weak, Relaxed, Acquire); err != nil {
			return err
		}
	}
	if err := p.destination(in); err != nil {
		return err
	}
	if err := p.need(",", "before the location"); err != nil {
		return err
	}
	if p.tok.kind == number || isRegister(p.tok.text) {
		in.Op, in.Binary, in.Order, in.Scope, in.Volat = Local, Move, Weak, System, false
		return p.operands(&in.A)
	}
	in.Op = Load
	return p.place(in)
}

func (p *parser) store(in *Instr, op *opcode) error {
	in.Op = Store
	if !op.volatile(in) {
		if err := p.strength(in, op, Weak, Weak, Relaxed, Release); err != nil {
			return err
		}
	}
	if err := p.place(in); err != nil {
		return err
	}
	if err := p.need(",", "before the value"); err != nil {
		return err
	}
	return p.operands(&in.A)
}

// atomics are the operations of atom and red.
var atomics = []Binary{Add, Sub, Mul, Div, And, Or, Xor, Min, Max, Inc, Dec, Exch, CAS}

// atomic reads atom.acq_rel.gpu.add r1, x, 1, atom.relaxed.gpu.cas r0, x, 0, 1 or
// red.release.gpu.add x, 1.
func (p *parser) atomic(in *Instr, op *opcode) error {
	in.Op = Atom
	if strings.HasSuffix(op.base, "red") {
		in.Op = Red
	}
	k := op.take(names(atomics)...)
	if k < 0 {
		return p.errorf(op.tok.pos, "%s needs an operation: %s", op.tok.text, "."+strings.Join(names(atomics), ", ."))
	}
	in.Binary = atomics[k]
	if in.Op == Red && (in.Binary == CAS || in.Binary == Exch) {
		return p.errorf(op.tok.pos, "red has no .%s, since nothing would use its result; write atom.%s", in.Binary, in.Binary)
	}
	if err := p.strength(in, op, Relaxed, Relaxed, Acquire, Release, AcqRel); err != nil {
		return err
	}
	if in.Op == Atom {
		if err := p.destination(in); err != nil {
			return err
		}
		if err := p.need(",", "before the location"); err != nil {
			return err
		}
	}
	if err := p.place(in); err != nil {
		return err
	}
	if err := p.need(",", "before the operand"); err != nil {
		return err
	}
	if in.Binary == CAS {
		return p.operands(&in.A, &in.B)
	}
	return p.operands(&in.A)
}

func names(ops []Binary) []string {
	var s []string
	for _, b := range ops {
		s = append(s, b.String())
	}
	return s
}

// fence reads fence.sc.gpu, fence.proxy.alias or membar.gl.
func (p *parser) fence(in *Instr, op *opcode) error {
	in.Op = Fence
	if op.base == "membar" { // a synonym since sm_70
		k := op.take("cta", "gl", "sys")
		if k < 0 {
			return p.errorf(op.tok.pos, "%s needs a level: .cta, .gl or .sys", op.tok.text)
		}
		in.Order, in.Scope = SC, Scope(k)
		return nil
	}
	if op.take("proxy") >= 0 {
		in.Op = FenceProxy
		k := op.take(proxyNames[:]...)
		if k < 0 {
			return p.errorf(op.tok.pos, "%s needs a proxy: .%s", op.tok.text, strings.Join(proxyNames[:], ", ."))
		}
		in.Proxy = Proxy(k)
		return nil
	}
	return p.strength(in, op, AcqRel, AcqRel, SC)
}

// barrier reads bar.cta.sync INSTANCE[, ID[, COUNT]], the same with arrive, or
// bar.cta.red.popc r0, INSTANCE[, ID[, COUNT]], VALUE.
func (p *parser) barrier(in *Instr, op *opcode) error {
	op.take("cta")
	k := op.take("sync", "arrive", "red")
	if k < 0 {
		return p.errorf(op.tok.pos, "%s needs .sync, .arrive or .red", op.tok.text)
	}
	in.Op = [...]Op{BarSync, BarArrive, BarRed}[k]
	if in.Op == BarRed {
		reductions := []Binary{Popc, And, Or}
		k := op.take(names(reductions)...)
		if k < 0 {
			return p.errorf(op.tok.pos, "%s needs an operation: .popc, .and, .or", op.tok.text)
		}
		in.Binary = reductions[k]
		if err := p.destination(in); err != nil {
			return err
		}
		if err := p.need(",", "before the barrier"); err != nil {
			return err
		}
	}
	var err error
	if in.Instance, err = p.constant(); err != nil {
		return err
	}
	var rest []Operand
	for p.tok.text == "," {
		if err := p.advance(); err != nil {
			return err
		}
		var o Operand
		at := p.tok.pos
		if err := p.operands(&o); err != nil {
			return err
		}
		if rest = append(rest, o); len(rest) > 3 {
			return p.errorf(at, "a barrier has at most a number, an id and a count")
		}
	}
	if in.Op == BarRed {
		if len(rest) == 0 {
			return p.errorf(p.tok.pos, "%s needs the value that is combined", op.tok.text)
		}
		in.A, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	switch len(rest) {
	case 3:
		return p.errorf(p.tok.pos, "a barrier has at most a number, an id and a count")
	case 2:
		in.Count = &rest[1]
		fallthrough
	case 1:
		in.ID = &rest[0]
	}
	return nil
}

// locals are the operations between registers.
var locals = []Binary{Move, Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Min, Max}

// local reads add r0, r1, 2 or mov r0, 1.
func (p *parser) local(in *Instr, op *opcode) error {
	k := slices.Index(names(locals), op.base)
	if k < 0 {
		return p.errorf(op.tok.pos, "unknown instruction %s", op.tok)
	}
	in.Op, in.Binary = Local, locals[k]
	if err := p.destination(in); err != nil {
		return err
	}
	if err := p.need(",", "before the operand"); err != nil {
		return err
	}
	if in.Binary == Move {
		return p.operands(&in.A)
	}
	return p.operands(&in.A, &in.B)
}
