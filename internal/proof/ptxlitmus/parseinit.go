package ptxlitmus

import (
	"slices"
	"strconv"
	"strings"
)

// init reads { declarations }. A mistake in one of them does not keep it from the others.
func (p *parser) init() error {
	p.report(p.advance()) // over {
	for p.tok.kind != endOfFile {
		if ok, err := p.got(";"); ok {
			p.report(err)
			continue
		}
		if ok, err := p.got("}"); ok {
			p.report(err)
			_, err := p.got(";")
			p.report(err)
			return nil
		}
		if p.atThreads() {
			p.report(p.errorf(p.tok.pos, "expected \"}\" before the threads, got %s", p.tok))
			return nil
		}
		err := p.declaration()
		if err == nil && p.tok.text != ";" && p.tok.text != "}" {
			err = p.errorf(p.tok.pos, "expected \";\" or \"}\" after a declaration, got %s", p.tok)
		}
		if p.report(err); err != nil {
			p.skipUntil(true, ";", "}")
		}
	}
	return p.errorf(p.tok.pos, "expected \"}\" after the declarations, got %s", p.tok)
}

// atThreads reports whether the next token begins the line of threads: P0@cta.
func (p *parser) atThreads() bool {
	rest, at := strings.CutPrefix(strings.TrimLeft(p.src[p.at:], " \t"), "@")
	return p.tok.kind == word && isThread(p.tok.text) && at && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "cta")
}

// declaration reads x = 1, x = y, x @ surface aliases y, P0:r1 = 2 or P0:r1 = x.
func (p *parser) declaration() error {
	first := p.tok
	if first.kind != word && first.kind != number {
		return p.errorf(first.pos, "expected a declaration such as \"x=0\" or \"P0:r1=0\", got %s", first)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if ok, err := p.got(":"); err != nil {
		return err
	} else if ok {
		return p.register(first)
	}
	i, err := p.declare(first)
	if err != nil {
		return err
	}
	if ok, err := p.got("@"); err != nil {
		return err
	} else if ok {
		return p.alias(i)
	}
	if err := p.need("=", "after the location "+first.text); err != nil {
		return err
	}
	if p.tok.kind == number {
		v, err := p.constant()
		p.test.Locations[i].Value = v
		return err
	}
	if _, err := p.got("&"); err != nil {
		return err
	}
	// x = y and x = &y: another word with the same initial value.
	of, err := p.declared(i)
	if err != nil {
		return err
	}
	p.test.Locations[i].Value = p.test.Locations[of].Value
	return p.advance()
}

// declare returns the index of a location that the init block declares.
func (p *parser) declare(t token) (int, error) {
	if i, ok := p.locs[t.text]; ok && t.kind == word {
		return 0, p.errorf(t.pos, "location %s is declared twice, first in line %d", t.text, p.test.Locations[i].Pos.Line)
	}
	return p.location(t)
}

// alias reads the rest of x @ PROXY aliases y.
func (p *parser) alias(i int) error {
	proxies := proxyNames[:Alias]
	k := slices.Index(proxies, p.tok.text)
	if k < 0 {
		return p.errorf(p.tok.pos, "expected a proxy (%s), got %s", strings.Join(proxies, ", "), p.tok)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.need("aliases", "after the proxy"); err != nil {
		return err
	}
	of, err := p.declared(i)
	if err != nil {
		return err
	}
	l := &p.test.Locations[i]
	l.Alias, l.Proxy, l.Value = p.test.Locations[of].Name, Proxy(k), p.test.Locations[of].Value
	return p.advance()
}

// declared returns the index of the location that is the next token, which has to be
// declared before location i.
func (p *parser) declared(i int) (int, error) {
	of, ok := p.locs[p.tok.text]
	switch {
	case p.tok.kind != word:
		return 0, p.errorf(p.tok.pos, "expected a number or a location, got %s", p.tok)
	case !ok || of == i:
		return 0, p.errorf(p.tok.pos, "location %s is not declared before", p.tok.text)
	}
	return of, nil
}

// register reads the rest of P0:r1 = value.
func (p *parser) register(thread token) error {
	if !isThread(thread.text) {
		return p.errorf(thread.pos, "expected a thread such as P0 before \":\", got %s", thread)
	}
	r := threadReg{thread, RegInit{Reg: p.tok.text, Pos: p.tok.pos}}
	if !isRegister(p.tok.text) {
		return p.errorf(p.tok.pos, "expected a register such as r0, got %s", p.tok)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.need("=", "after the register"); err != nil {
		return err
	}
	var err error
	switch amp := p.tok.text == "&"; {
	case p.tok.kind == number:
		r.init.Value, err = p.constant()
	case amp || p.tok.kind == word:
		if amp {
			if err := p.advance(); err != nil {
				return err
			}
		}
		r.init.Loc = p.tok.text
		if _, err := p.location(p.tok); err != nil {
			return err
		}
		err = p.advance()
	default:
		return p.errorf(p.tok.pos, "expected a number or a location, got %s", p.tok)
	}
	p.inits = append(p.inits, r)
	return err
}

// registers gives the registers of the init block to their threads.
func (p *parser) registers() {
	seen := map[[2]string]bool{}
	for _, r := range p.inits {
		i, err := p.thread(r.thread)
		p.report(err)
		if i < 0 || err != nil {
			continue
		}
		key := [2]string{strconv.Itoa(i), r.init.Reg}
		if seen[key] {
			p.report(p.errorf(r.init.Pos, "register P%d:%s is declared twice", p.test.Threads[i].ID, r.init.Reg))
		}
		seen[key] = true
		r.init.Thread = i
		p.test.Registers = append(p.test.Registers, r.init)
	}
}
