package readptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// function reads a kernel or a device function.
func (p *parser) function() {
	f := &function{line: int(p.peek().line), entry: p.next().text == ".entry", vars: map[string]*variable{}, regs: map[string]typ{}, tables: map[string][]string{}, prototypes: map[string]*prototype{}}
	f.results = nil
	if !f.entry {
		for p.is(".attribute") {
			p.at++
			p.skipParens()
		}
		if p.is("(") {
			f.results = p.parameters()
		}
	}
	f.name = p.name("the name of a function")
	if p.is("(") {
		f.params = p.parameters()
	}
	bytes := 0
	for _, v := range f.params {
		if bytes += v.size(); bytes > maxParams || v.open {
			p.failAt(int32(f.line), "the parameters of %s have more than %d bytes, or no size", f.name, maxParams)
		}
	}
	p.directives(f)
	old := p.m.functions[f.name]
	if old == nil {
		p.m.order = append(p.m.order, f.name)
	}
	if p.accept(";") {
		if old == nil {
			p.m.functions[f.name] = f
		}
		return
	}
	if old != nil && old.defined {
		p.failAt(int32(f.line), "a second function %s; the first is in line %d", f.name, old.line)
	}
	p.m.functions[f.name] = f
	f.defined = true
	p.body(f)
}

func (p *parser) skipParens() {
	p.expect("(")
	for depth := 1; depth > 0; {
		switch t := p.next(); {
		case t.kind == tokenEnd:
			p.failAt(t.line, "a parenthesis is not closed")
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		}
	}
}

// parameters reads a list of parameters, in parentheses.
func (p *parser) parameters() (list []*variable) {
	p.expect("(")
	for !p.accept(")") {
		v := &variable{space: p.next().text, vector: 1}
		if v.space != ".param" && v.space != ".reg" {
			p.fail("%q instead of .param or .reg", v.space)
		}
		p.attributes(v)
		p.declarator(v)
		list = append(list, v)
		if !p.is(")") {
			p.expect(",")
		}
	}
	return list
}

// directives reads what stands between the parameters and the body.
func (p *parser) directives(f *function) {
	three := func() (n [3]int) {
		n = [3]int{1, 1, 1}
		for i := range n {
			n[i] = p.integer("the size of a block")
			if !p.accept(",") {
				break
			}
		}
		return n
	}
	for {
		switch t := p.peek(); t.text {
		case ".maxntid":
			p.at++
			f.max = three()
		case ".reqntid":
			p.at++
			f.req = three()
		case ".minnctapersm", ".maxnctapersm":
			p.at++
			f.minimum = p.integer("the number of blocks of an SM")
		case ".maxnreg":
			p.at++
			f.maxRegs = p.integer("the number of registers")
		case ".noreturn", ".explicitcluster":
			p.at++
		case ".maxclusterrank":
			p.at++
			p.integer("the largest size of a cluster")
		case ".reqnctapercluster":
			p.at++
			f.cluster = three()
		case ".pragma":
			f.rolled = p.pragma() || f.rolled
		case ".blocksareclusters":
			p.fail("%s: a grid is given in blocks here", p.found())
		default:
			return
		}
	}
}

// body reads the body of a function.
func (p *parser) body(f *function) {
	p.fn, p.place = f, 0
	p.expect("{")
	p.scopes = []*scope{{}}
	for len(p.scopes) > 0 {
		p.statement()
	}
	p.fn = nil
}

func (p *parser) statement() {
	t := p.peek()
	switch {
	case t.kind == tokenEnd:
		p.fail("function %s does not end", p.fn.name)
	case p.accept("{"):
		p.scopes = append(p.scopes, &scope{from: len(p.fn.body), names: map[string]string{}})
	case p.accept("}"):
		s := p.scopes[len(p.scopes)-1]
		p.scopes = p.scopes[:len(p.scopes)-1]
		if len(s.names) > 0 {
			for i := s.from; i < len(p.fn.body); i++ {
				p.fn.body[i].rename(s.names)
			}
		}
	case p.accept(";"):
	case t.kind == tokenName && t.text[0] == '.':
		p.bodyDirective()
	case t.kind == tokenName && p.tokens[p.at+1].text == ":" && p.tokens[p.at+1].kind == tokenSign:
		p.at += 2
		p.label(t)
	default:
		p.instruction()
	}
}

// declared notes a name of the innermost scope and returns by which name it is known.
func (p *parser) declared(name string) string {
	s := p.scopes[len(p.scopes)-1]
	if s.names == nil {
		return name
	}
	p.names++
	s.names[name] = fmt.Sprintf("%s#%d", name, p.names)
	return s.names[name]
}

func (p *parser) label(t *token) {
	switch p.peek().text {
	case ".branchtargets":
		p.at++
		var list []string
		for {
			list = append(list, p.name("a label"))
			if !p.accept(",") {
				break
			}
		}
		p.expect(";")
		p.fn.tables[t.text] = list
		return
	case ".callprototype":
		p.at++
		p.fn.prototypes[t.text] = p.prototype()
		return
	case ".calltargets":
		p.at++
		one := &prototype{}
		for {
			one.targets = append(one.targets, p.name("a function"))
			if !p.accept(",") {
				break
			}
		}
		p.expect(";")
		p.fn.prototypes[t.text] = one
		return
	}
	p.fn.body = append(p.fn.body, statement{line: t.line, at: p.place, label: p.declared(t.text)})
}

// prototype reads what follows .callprototype: (results) _ (parameters).
func (p *parser) prototype() *prototype {
	one := &prototype{}
	if p.is("(") {
		one.results = p.parameters()
	}
	p.expect("_")
	if p.is("(") {
		one.params = p.parameters()
	}
	for _, v := range append(one.params, one.results...) {
		if v.open || v.size() > maxParams {
			p.fail("a parameter of a prototype has more than %d bytes, or no size", maxParams)
		}
	}
	for p.accept(".noreturn") {
	}
	p.expect(";")
	return one
}

func (p *parser) bodyDirective() {
	switch t := p.peek(); t.text {
	case ".loc":
		p.loc()
	case ".pragma":
		if p.pragma() {
			p.fn.rolledAt = append(p.fn.rolledAt, len(p.fn.body))
		}
	case ".reg":
		p.at++
		v := variable{vector: 1}
		p.attributes(&v)
		if v.typ.bits == 0 {
			p.fail("%s instead of the type of registers", p.found())
		}
		for {
			name := p.name("a register")
			switch {
			case p.accept("<"):
				n := p.integer("the number of registers")
				p.expect(">")
				if s := p.scopes[len(p.scopes)-1]; s.names != nil {
					// Few, in braces of inline assembly: each by its name.
					if n > 1024 {
						p.fail("%d registers in inner braces", n)
					}
					for i := range n {
						p.fn.regs[p.declared(name+strconv.Itoa(i))] = v.typ
					}
				} else {
					p.fn.ranges = append(p.fn.ranges, regRange{name, n, v.typ})
				}
			case v.vector > 1:
				for _, part := range []string{".x", ".y", ".z", ".w"}[:v.vector] {
					p.fn.regs[name+part] = v.typ
				}
				p.failAt(t.line, "vector registers (.v%d) are not read; write one register for each element", v.vector)
			default:
				p.fn.regs[p.declared(name)] = v.typ
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect(";")
	case ".local", ".shared", ".param", ".const", ".global":
		for _, v := range p.variables(false) {
			v.name = p.declared(v.name)
			if p.fn.vars[v.name] != nil {
				p.failAt(int32(v.line), "a second variable %s in %s", v.name, p.fn.name)
			}
			p.fn.vars[v.name] = v
		}
		p.expect(";")
	case ".extern":
		p.at++
		for _, v := range p.variables(true) {
			p.fn.vars[v.name] = v
		}
		p.expect(";")
	default:
		p.fail("%s is no directive of a function", p.found())
	}
}

// loc reads .loc FILE LINE COLUMN, and from which call the code was inlined.
func (p *parser) loc() {
	p.at++
	at := place{file: p.integer("a file"), line: p.integer("a line"), col: p.integer("a column")}
	for p.accept(",") {
		switch p.name("function_name or inlined_at") {
		case "function_name":
			at.function = p.name("the label of a name")
			if p.accept("+") {
				p.integer("an offset")
			}
		case "inlined_at":
			outer := place{file: p.integer("a file"), line: p.integer("a line"), col: p.integer("a column")}
			at.in = p.addPlace(outer)
		}
	}
	if at.line == 0 { // code that belongs to no line goes on with the one before
		return
	}
	p.place = p.addPlace(at)
}

func (p *parser) addPlace(at place) int32 {
	if n, ok := p.m.placeOf[at]; ok {
		return n
	}
	n := int32(len(p.m.places))
	p.m.places = append(p.m.places, at)
	p.m.placeOf[at] = n
	return n
}

// instruction reads an instruction with its predicate.
func (p *parser) instruction() {
	s := statement{line: p.peek().line, at: p.place}
	if p.accept("@") {
		s.not = p.accept("!")
		s.guard = p.name("a predicate")
	}
	t := p.peek()
	if t.kind != tokenName || t.text[0] == '.' {
		p.fail("%s is no instruction", p.found())
	}
	p.at++
	s.op, s.mods = t.text, ""
	if i := strings.IndexByte(t.text, '.'); i >= 0 {
		s.op, s.mods = t.text[:i], t.text[i:]
	}
	if s.op == "call" {
		p.callOperands(&s)
	} else {
		for !p.is(";") {
			s.args = append(s.args, p.operand())
			if !p.accept(",") {
				break
			}
		}
	}
	p.expect(";")
	p.fn.body = append(p.fn.body, s)
}

func (p *parser) callOperands(s *statement) {
	s.call = &call{}
	list := func() (args []operand) {
		p.expect("(")
		for !p.accept(")") {
			args = append(args, p.operand())
			if !p.is(")") {
				p.expect(",")
			}
		}
		return args
	}
	if p.is("(") {
		s.call.results = list()
		p.expect(",")
	}
	s.call.target = p.name("a function")
	if p.accept(",") {
		if p.is("(") {
			s.call.args = list()
			if !p.accept(",") {
				return
			}
		}
		s.call.prototype = p.name("a prototype or list of targets")
	}
}

func (p *parser) operand() operand {
	first := p.operandPart()
	if p.accept("|") {
		return operand{form: formPair, list: []operand{first, p.operandPart()}}
	}
	return first
}

func (p *parser) operandPart() (o operand) {
	t := p.peek()
	switch {
	case p.accept("!"):
		return operand{form: formReg, name: p.name("a predicate"), not: true}
	case p.accept("{"):
		defer p.nested()()
		o.form = formVector
		for !p.accept("}") {
			o.list = append(o.list, p.operandPart())
			if !p.is("}") {
				p.expect(",")
			}
		}
		return o
	case p.accept("["):
		defer p.nested()()
		o.form = formAddress
		if n := p.peek(); n.kind == tokenName {
			o.name = p.name("an address")
		} else {
			o.bits = p.expression("an address")
		}
		o.bits += p.offset()
		for p.accept(",") { // of textures and surfaces
			o.list = append(o.list, p.operandPart())
		}
		p.expect("]")
		return o
	case t.kind == tokenName && t.text == "_":
		p.at++
		return operand{form: formSkip}
	case t.kind == tokenName && t.text == "WARP_SZ":
		p.at++
		return operand{form: formNumber, bits: 32}
	case t.kind == tokenName:
		o.name = p.name("an operand")
		o.form = formReg
		for p.is("+") || p.is("-") { // mov %r, variable+4
			minus := p.next().text == "-"
			n := p.primary("an offset")
			if minus {
				n = -n
			}
			o.bits += n
		}
		return o
	}
	o.form = formNumber
	o.bits, o.real, o.one = p.number("an operand")
	return o
}

// rename gives operands the names by which an inner scope knows them.
func (s *statement) rename(names map[string]string) {
	if n, ok := names[s.guard]; ok {
		s.guard = n
	}
	renameAll(s.args, names)
	if s.call != nil {
		renameAll(s.call.results, names)
		renameAll(s.call.args, names)
		if n, ok := names[s.call.target]; ok {
			s.call.target = n
		}
	}
}

func renameAll(list []operand, names map[string]string) {
	for i := range list {
		if n, ok := names[list[i].name]; ok {
			list[i].name = n
		}
		renameAll(list[i].list, names)
	}
}

// reg returns the type of a register.
func (f *function) reg(name string) (typ, bool) {
	if t, ok := f.regs[name]; ok {
		return t, true
	}
	i := len(name)
	for i > 0 && digit(name[i-1]) {
		i--
	}
	// %r12 may be the twelfth of %r<20> or the second of %r1<9>: every split is tried.
	for ; i < len(name); i++ {
		n, err := strconv.Atoi(name[i:])
		if err != nil || name[i] == '0' && i+1 < len(name) {
			continue
		}
		if at := slices.IndexFunc(f.ranges, func(r regRange) bool { return r.prefix == name[:i] && n < r.count }); at >= 0 {
			f.regs[name] = f.ranges[at].typ
			return f.ranges[at].typ, true
		}
	}
	return typ{}, false
}
