package readptx

import (
	"math"
	"strconv"
	"strings"
)

// parseInteger returns the value of an integer constant: decimal, 0x, 0b or octal, with
// or without U.
func parseInteger(text string) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimSuffix(text, "U"), 0, 64)
	return n, err == nil && !strings.ContainsRune(text, '_') && !strings.HasPrefix(text, "0o") && !strings.HasPrefix(text, "0O")
}

// number reads a number: an integer expression or a float. one says that a float has 32
// bits.
func (p *parser) number(what string) (bits uint64, real, one bool) {
	at := p.at
	minus := p.accept("-")
	if t := p.peek(); t.kind == tokenNumber && isFloat(t.text) {
		p.at++
		text := t.text
		switch {
		case strings.HasPrefix(text, "0f") || strings.HasPrefix(text, "0F"):
			n, err := strconv.ParseUint(text[2:], 16, 32)
			if err != nil || len(text) != 10 {
				p.failAt(t.line, "%q is no float: 0f has 8 hexadecimal digits behind it", text)
			}
			if minus {
				n ^= 1 << 31
			}
			return n, true, true
		case strings.HasPrefix(text, "0d") || strings.HasPrefix(text, "0D"):
			n, err := strconv.ParseUint(text[2:], 16, 64)
			if err != nil || len(text) != 18 {
				p.failAt(t.line, "%q is no float: 0d has 16 hexadecimal digits behind it", text)
			}
			if minus {
				n ^= 1 << 63
			}
			return n, true, false
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			p.failAt(t.line, "%q is no number", text)
		}
		if minus {
			f = -f
		}
		return math.Float64bits(f), true, false
	}
	p.at = at
	return p.expression(what), false, false
}

func isFloat(text string) bool {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		return false
	}
	if len(text) > 1 && text[0] == '0' && strings.ContainsRune("fFdD", rune(text[1])) {
		return true
	}
	return strings.ContainsAny(text, ".eE")
}

// precedence of the operators of constant expressions, as in C.
var precedence = map[string]int{"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}

// expression reads a constant expression.
func (p *parser) expression(what string) uint64 { return p.binary(what, 1) }

func (p *parser) binary(what string, least int) uint64 {
	x := p.primary(what)
	for {
		t := p.peek()
		level := precedence[t.text]
		if t.kind != tokenSign || level < least {
			return x
		}
		// a|b is a pair of registers, never of numbers, but [4+...] is not this one's.
		p.at++
		y := p.binary(what, level+1)
		switch t.text {
		case "|":
			x |= y
		case "^":
			x ^= y
		case "&":
			x &= y
		case "<<":
			x <<= y
		case ">>":
			x >>= y
		case "+":
			x += y
		case "-":
			x -= y
		case "*":
			x *= y
		default:
			if y == 0 {
				p.failAt(t.line, "a constant expression divides by zero")
			}
			if t.text == "/" {
				x /= y
			} else {
				x %= y
			}
		}
	}
}

// offset reads what is added to a name or an address: "+8-4"; 0 if there is nothing.
func (p *parser) offset() (sum uint64) {
	for p.is("+") || p.is("-") {
		minus := p.next().text == "-"
		n := p.primary("an offset")
		if minus {
			n = -n
		}
		sum += n
	}
	return sum
}

func (p *parser) primary(what string) uint64 {
	defer p.nested()()
	t := p.peek()
	switch {
	case p.accept("-"):
		return -p.primary(what)
	case p.accept("+"):
		return p.primary(what)
	case p.accept("~"):
		return ^p.primary(what)
	case p.accept("("):
		// A cast, (.s64) or (.u64), changes nothing here.
		if p.peek().kind == tokenName && (p.is(".s64") || p.is(".u64")) {
			p.at++
			p.expect(")")
			return p.primary(what)
		}
		x := p.expression(what)
		p.expect(")")
		return x
	case t.kind == tokenName && t.text == "WARP_SZ":
		p.at++
		return 32
	case t.kind == tokenNumber:
		n, ok := parseInteger(t.text)
		if !ok {
			p.fail("%s is no integer", p.found())
		}
		p.at++
		return n
	}
	p.fail("%s instead of %s", p.found(), what)
	return 0
}
