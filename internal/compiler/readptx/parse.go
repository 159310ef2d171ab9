package readptx

import (
	"fmt"
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
		p.m.rolled = p.pragma() || p.m.rolled
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
		p.fail("%s: textures are declared .global .texref, and samplers and surfaces are not read; use memory", p.found())
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

// pragma reads a pragma and reports whether it is "nounroll"; others say nothing to a simulator.
func (p *parser) pragma() (rolled bool) {
	p.at++
	for {
		t := p.next()
		if t.kind != tokenString {
			p.failAt(t.line, "a pragma is a string, not %q", t.text)
		}
		rolled = rolled || t.text == "nounroll"
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	return rolled
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
