package readptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parser reads the tokens of a module.
type parser struct {
	file   string
	tokens []token
	at     int
	m      *Module
	// fn and scopes are set within a body.
	fn     *function
	scopes []*scope
	place  int32
	names  int // of renamed variables
	depth  int // of brackets
}

// maxDepth bounds how deep brackets are nested, and maxParams the bytes of a kernel's
// parameters (32,764 in PTX 8.1).
const (
	maxDepth  = 200
	maxParams = 32764
)

// nested notes that a bracket opens, until the function that it returns is called.
func (p *parser) nested() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("brackets are nested deeper than %d", maxDepth)
	}
	return func() { p.depth-- }
}

// scope is a pair of braces in a body: what is declared in it hides what has the same
// name outside.
type scope struct {
	from  int // index of its first statement
	names map[string]string
}

// parseError carries an error up to the caller of parse.
type parseError struct{ err *Error }

func (p *parser) fail(format string, args ...any) {
	p.failAt(p.peek().line, format, args...)
}

func (p *parser) failAt(line int32, format string, args ...any) {
	panic(parseError{&Error{p.file, int(line), fmt.Sprintf(format, args...)}})
}

func (p *parser) peek() *token { return &p.tokens[p.at] }

func (p *parser) next() *token {
	t := &p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

// is reports whether the next token is text.
func (p *parser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == tokenSign || t.kind == tokenName)
}

// accept skips the next token if it is text.
func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("%s instead of %q", p.found(), text)
	}
}

// found describes the next token.
func (p *parser) found() string {
	t := p.peek()
	if t.kind == tokenEnd {
		return "the end of the module"
	}
	return strconv.Quote(t.text)
}

func (p *parser) name(what string) string {
	if t := p.peek(); t.kind == tokenName && t.text[0] != '.' {
		p.at++
		return t.text
	}
	p.fail("%s instead of %s", p.found(), what)
	return ""
}

// integer reads a constant expression.
func (p *parser) integer(what string) int {
	v := p.expression(what)
	if int64(v) < 0 || v > 1<<31-1 {
		p.fail("%s is %d", what, int64(v))
	}
	return int(v)
}

// parse reads the module.
func (p *parser) parse() (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			e, ok := cause.(parseError)
			if !ok {
				panic(cause)
			}
			err = e.err
		}
	}()
	if !p.is(".version") {
		p.fail("a module of PTX begins with .version, not with %s", p.found())
	}
	for p.peek().kind != tokenEnd {
		p.top()
	}
	for _, name := range p.m.order {
		p.m.settle(p.m.functions[name])
		if f := p.m.functions[name]; f.entry && f.defined {
			p.m.Entries = append(p.m.Entries, p.m.entryOf(f))
		}
	}
	return nil
}

// top reads one directive of the module.
func (p *parser) top() {
	t := p.peek()
	switch t.text {
	case ".version":
		p.at++
		p.m.Version = p.next().text
		if major, err := strconv.Atoi(strings.SplitN(p.m.Version, ".", 2)[0]); err != nil || major > 9 {
			p.failAt(t.line, "PTX of version %q; versions up to 9 are read", p.m.Version)
		}
	case ".target":
		p.at++
		p.m.Target = p.name("a target such as sm_70")
		for p.accept(",") {
			p.at++ // texmode_unified, debug, ...
		}
	case ".address_size":
		p.at++
		if n := p.integer("the size of an address"); n != 64 {
			p.failAt(t.line, "addresses of %d bits; only .address_size 64 is read", n)
		}
	case ".file":
		p.fileDirective()
	case ".section":
		p.section()
	case ".pragma":
		p.pragma()
	case ".alias":
		p.at++
		alias := p.name("a name")
		p.expect(",")
		p.m.aliases[alias] = p.name("a function")
		p.expect(";")
	case ";":
		p.at++
	case ".visible", ".extern", ".weak", ".common", ".entry", ".func", ".global", ".const", ".shared", ".tex", ".texref", ".samplerref", ".surfref":
		p.declaration()
	default:
		p.fail("%s is no directive of a module", p.found())
	}
}

// declaration reads a variable, a kernel or a function.
func (p *parser) declaration() {
	extern := false
	for {
		switch p.peek().text {
		case ".extern", ".common":
			extern = p.next().text == ".extern"
			continue
		case ".visible", ".weak":
			p.at++
			continue
		}
		break
	}
	switch p.peek().text {
	case ".entry", ".func":
		p.function()
	case ".global", ".const", ".shared":
		for _, v := range p.variables(extern) {
			if old := p.m.vars[v.name]; old == nil || old.extern {
				p.m.vars[v.name] = v
				if old == nil {
					p.m.varOrder = append(p.m.varOrder, v.name)
				}
			} else if !extern {
				p.failAt(int32(v.line), "a second variable %s; the first is in line %d", v.name, old.line)
			}
		}
		p.expect(";")
	case ".tex", ".texref", ".samplerref", ".surfref":
		p.fail("%s: textures and surfaces by reference are not read; use memory, or texture objects", p.found())
	default:
		p.fail("%s is no variable and no function", p.found())
	}
}

// fileDirective reads .file 1 "name", which may be followed by a time and a size.
func (p *parser) fileDirective() {
	p.at++
	n := p.integer("the number of a file")
	t := p.next()
	if t.kind != tokenString {
		p.failAt(t.line, "the name of a file is a string, not %q", t.text)
	}
	name := t.text
	if n >= 1<<16 {
		p.failAt(t.line, "file number %d", n)
	}
	for p.accept(",") {
		p.integer("a time or size")
	}
	for len(p.m.files) <= n {
		p.m.files = append(p.m.files, "")
	}
	p.m.files[n] = name
}

// pragma reads .pragma "nounroll"; other pragmas say nothing to a simulator.
func (p *parser) pragma() {
	p.at++
	for {
		if t := p.next(); t.kind != tokenString {
			p.failAt(t.line, "a pragma is a string, not %q", t.text)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
}

// section reads a section of debugging data. The strings of .debug_str are names of
// inlined functions.
func (p *parser) section() {
	p.at++
	t := p.next()
	strs := t.text == ".debug_str"
	p.expect("{")
	label, data := "", []byte(nil)
	flush := func() {
		if strs && label != "" {
			s, _, _ := strings.Cut(string(data), "\x00")
			p.m.strings[label] = s
		}
	}
	for !p.is("}") {
		t := p.next()
		switch {
		case t.kind == tokenEnd:
			p.failAt(t.line, "the section does not end")
		case t.kind == tokenName && p.is(":"):
			flush()
			label, data = t.text, nil
		case t.kind == tokenNumber && strs:
			n, _ := strconv.ParseUint(t.text, 0, 8)
			data = append(data, byte(n))
		}
	}
	flush()
	p.expect("}")
}

// variables reads declarations of one space, up to the semicolon: ".global .align 4
// .u32 a, b[3] = {1, 2, 3}".
func (p *parser) variables(extern bool) (list []*variable) {
	v := variable{space: p.next().text, vector: 1, extern: extern}
	if s, _, found := strings.Cut(v.space, "["); found { // .const[2], of old versions
		v.space = s
	}
	p.attributes(&v)
	for {
		one := v
		p.declarator(&one)
		list = append(list, &one)
		if !p.accept(",") {
			return list
		}
	}
}

// attributes reads what stands between the space and the name of a variable.
func (p *parser) attributes(v *variable) {
	for {
		t := p.peek()
		switch t.text {
		case ".align":
			p.at++
			v.align = p.integer("an alignment")
			if v.align < 1 || v.align&(v.align-1) != 0 || v.align > 1<<16 {
				p.failAt(t.line, "an alignment of %d; it is a power of two", v.align)
			}
		case ".v2":
			p.at++
			v.vector = 2
		case ".v4":
			p.at++
			v.vector = 4
		case ".attribute":
			p.at++
			p.expect("(")
			for !p.accept(")") {
				if t := p.next(); t.text == ".managed" {
					v.managed = true
				} else if t.kind == tokenEnd {
					p.failAt(t.line, "the attributes do not end")
				}
			}
		case ".ptr":
			p.at++
			for p.is(".global") || p.is(".const") || p.is(".shared") || p.is(".local") {
				p.at++
			}
		default:
			if ty, ok := types[t.text]; ok {
				p.at++
				v.typ = ty
				continue
			}
			if t.kind == tokenName && t.text[0] == '.' {
				p.fail("%s is no type and no attribute of a variable", p.found())
			}
			return
		}
	}
}

// declarator reads the name of a variable, its dimensions and initial value.
func (p *parser) declarator(v *variable) {
	v.line = int(p.peek().line)
	v.name = p.name("the name of a variable")
	if v.typ.bits == 0 {
		p.failAt(int32(v.line), "variable %s has no type", v.name)
	}
	v.count = 1
	for p.accept("[") {
		v.array = true
		n := 0
		if !p.is("]") {
			n = p.integer("the size of an array")
		} else {
			v.open = true
		}
		if !v.open && n > 0 && v.count > (1<<31-1)/n {
			p.fail("the array %s has more than 2^31 elements", v.name)
		}
		if !v.open {
			v.count *= n
		}
		p.expect("]")
	}
	if v.open {
		v.count = 0
	}
	if p.accept("=") {
		p.initial(v)
		if n := len(v.init); v.open {
			v.count, v.open = (n+v.vector-1)/v.vector, false
		} else if n > v.count*v.vector {
			p.failAt(int32(v.line), "%s has %d elements and %d initial values", v.name, v.count*v.vector, n)
		}
	}
	if v.size() > 1<<31-1 {
		p.failAt(int32(v.line), "%s has %d bytes", v.name, v.size())
	}
	if v.align == 0 {
		v.align = max(1, v.typ.bytes()*v.vector)
	}
}

// initial reads an initial value: a scalar, or nested lists of them.
func (p *parser) initial(v *variable) {
	if p.accept("{") {
		defer p.nested()()
		for !p.is("}") {
			p.initial(v)
			if !p.accept(",") {
				break
			}
		}
		p.expect("}")
		return
	}
	v.init = append(v.init, p.initialScalar())
}

func (p *parser) initialScalar() (one initial) {
	t := p.peek()
	if t.kind != tokenName {
		// 0xFF00(symbol) is a byte of an address.
		if t.kind == tokenNumber && p.tokens[p.at+1].text == "(" {
			one.mask, _ = parseInteger(t.text)
			p.at += 2
			inner := p.initialScalar()
			p.expect(")")
			inner.mask = one.mask
			return inner
		}
		one.bits, one.real, one.one = p.number("an initial value")
		return one
	}
	defer p.nested()()
	if p.accept("generic") {
		p.expect("(")
		one = p.initialScalar()
		one.generic = true
		p.expect(")")
	} else {
		one.symbol = p.name("an initial value")
	}
	for p.is("+") || p.is("-") {
		minus := p.next().text == "-"
		n := p.primary("an offset")
		if minus {
			n = -n
		}
		one.bits += n
	}
	return one
}

// function reads a kernel or a device function.
func (p *parser) function() {
	f := &function{line: int(p.peek().line), entry: p.next().text == ".entry", vars: map[string]*variable{}, regs: map[string]typ{}, tables: map[string][]string{}}
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
		case ".noreturn", ".blocksareclusters":
			p.at++
		case ".pragma":
			p.pragma()
		case ".reqnctapercluster", ".explicitcluster", ".maxclusterrank":
			p.fail("%s: clusters are not supported", p.found())
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
	case ".callprototype", ".calltargets":
		for !p.accept(";") {
			if p.next().kind == tokenEnd {
				p.fail("the prototype does not end")
			}
		}
		return
	}
	p.fn.body = append(p.fn.body, statement{line: t.line, at: p.place, label: p.declared(t.text)})
}

func (p *parser) bodyDirective() {
	switch t := p.peek(); t.text {
	case ".loc":
		p.loc()
	case ".pragma":
		p.pragma()
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
		p.name("a prototype or list of targets")
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
		o.form = formAddress
		if n := p.peek(); n.kind == tokenName {
			o.name = p.name("an address")
			if p.is(",") {
				p.fail("an address with coordinates: textures and surfaces are not read")
			}
		} else {
			o.bits = p.expression("an address")
		}
		for p.is("+") || p.is("-") {
			minus := p.next().text == "-"
			n := p.primary("an offset")
			if minus {
				n = -n
			}
			o.bits += n
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
