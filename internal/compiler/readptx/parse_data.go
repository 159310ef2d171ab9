package readptx

import (
	"strings"
)

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
		case ".texref":
			if v.space != ".global" {
				p.fail("%s: a texture is in global memory", p.found())
			}
			p.at++
			v.typ, v.vector, v.align = types[".b64"], textureBytes/8, textureBytes
		case ".samplerref", ".surfref":
			p.fail("%s: samplers and surfaces are not supported; use memory", p.found())
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
	one.bits += p.offset()
	return one
}
