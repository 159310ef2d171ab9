package ptxlitmus

import "slices"

// observed reads locations [x; P0:r1;].
func (p *parser) observed() error {
	if ok, err := p.got("locations"); err != nil || !ok {
		return err
	}
	if err := p.need("[", "after locations"); err != nil {
		return err
	}
	for p.tok.text != "]" {
		v, err := p.value()
		if err != nil {
			return err
		}
		if v.Reg != "" || v.Loc != "" {
			p.test.Observed = append(p.test.Observed, v)
		}
		if ok, err := p.got(";"); err != nil {
			return err
		} else if !ok {
			break
		}
	}
	return p.need("]", "after the locations")
}

// conditions reads the filter and the condition.
func (p *parser) conditions() error {
	if ok, err := p.got("filter"); err != nil {
		return err
	} else if ok {
		if p.test.Filter, err = p.condition(); err != nil {
			p.report(err)
			p.skipUntil(false, ";")
		}
		if _, err := p.got(";"); err != nil {
			return err
		}
	}
	t := p.tok
	switch t.text {
	case "":
		return nil
	case "exists":
		p.test.Quant = Exists
	case "forall":
		p.test.Quant = ForAll
	case "~", "not":
		if err := p.advance(); err != nil {
			return err
		}
		if p.tok.text != "exists" {
			return p.errorf(p.tok.pos, "expected exists after %q, got %s", t.text, p.tok)
		}
		p.test.Quant = NotExists
	default:
		return p.errorf(t.pos, "expected exists, ~exists or forall, got %s", t)
	}
	if err := p.advance(); err != nil {
		return err
	}
	var err error
	if p.test.Cond, err = p.condition(); err != nil {
		return err
	}
	_, err = p.got(";")
	return err
}

// condition reads conjunctions that are connected by \/.
func (p *parser) condition() (Cond, error) {
	return p.chain(`\/`, func() (Cond, error) { return p.chain(`/\`, p.negation, both) }, either)
}

func both(x, y Cond) Cond   { return &Both{x, y} }
func either(x, y Cond) Cond { return &Either{x, y} }

// chain reads one or more operands that are connected by op.
func (p *parser) chain(op string, operand func() (Cond, error), join func(x, y Cond) Cond) (Cond, error) {
	x, err := operand()
	for n := 0; err == nil && p.tok.text == op; n++ {
		if n == maxRows {
			return nil, p.errorf(p.tok.pos, "a condition has at most %d parts", maxRows)
		}
		if err = p.advance(); err != nil {
			break
		}
		var y Cond
		y, err = operand()
		x = join(x, y)
	}
	return x, err
}

// negation reads a comparison, or a condition in parentheses, with any number of ~
// before it. A ~ binds more tightly than /\.
func (p *parser) negation() (Cond, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf(p.tok.pos, "the condition is nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	switch p.tok.text {
	case "~", "not":
		if err := p.advance(); err != nil {
			return nil, err
		}
		x, err := p.negation()
		return &Not{x}, err
	case "(":
		if err := p.advance(); err != nil {
			return nil, err
		}
		x, err := p.condition()
		if err != nil {
			return nil, err
		}
		return x, p.need(")", "in the condition")
	}
	return p.comparison()
}

func (p *parser) comparison() (Cond, error) {
	a, err := p.value()
	if err != nil {
		return nil, err
	}
	op := p.tok.text
	if op == "=" {
		op = "=="
	}
	k := slices.Index(cmpNames[:], op)
	if k < 0 {
		return nil, p.errorf(p.tok.pos, "expected a comparison (== != < <= > >=) after %s, got %s", a, p.tok)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	b, err := p.value()
	return &Compare{a, b, Cmp(k)}, err
}

// value reads 3, x, [x], P0:r1 or 0:r1.
func (p *parser) value() (Value, error) {
	t := p.tok
	switch {
	case t.text == "[":
		if err := p.advance(); err != nil {
			return Value{}, err
		}
		v, err := p.value()
		if err == nil && v.Loc == "" {
			err = p.errorf(t.pos, "expected a location between [ and ]")
		}
		if err != nil {
			return Value{}, err
		}
		return v, p.need("]", "after the location")
	case t.kind == number && !isThread(t.text):
		v, err := p.constant()
		return Value{Const: v}, err
	case t.kind != number && t.kind != word:
		return Value{}, p.errorf(t.pos, "expected a register such as P0:r1, a location or a number, got %s", t)
	}
	if err := p.advance(); err != nil {
		return Value{}, err
	}
	if ok, err := p.got(":"); err != nil {
		return Value{}, err
	} else if ok {
		return p.threadRegister(t)
	}
	if t.kind == number {
		v, err := p.parseConstant(t)
		return Value{Const: v}, err
	}
	if _, err := p.location(t); err != nil {
		return Value{}, err
	}
	return Value{Loc: t.text}, nil
}

// threadRegister reads the register after P0:.
func (p *parser) threadRegister(thread token) (Value, error) {
	i, err := p.thread(thread)
	i = max(i, 0)
	if err != nil {
		return Value{}, err
	}
	if !isRegister(p.tok.text) {
		return Value{}, p.errorf(p.tok.pos, "expected a register such as r0 after %s:, got %s", thread.text, p.tok)
	}
	v := Value{Reg: p.tok.text, Thread: i, ID: p.test.Threads[i].ID}
	return v, p.advance()
}
