package generate

import "fmt"

// variable is a local variable in scope.
type variable struct {
	name  string
	typ   *typ
	fixed bool // a loop counter, or another variable that a statement must not change
	below int  // of a counter: it is in 0..below-1; 0: unknown
}

// declare adds a variable to the innermost scope under a fresh name.
func (g *gen) declare(t *typ, fixed bool) *variable {
	v := &variable{name: fmt.Sprintf("v%d", g.names), typ: t, fixed: fixed}
	g.names++
	g.vars = append(g.vars, v)
	return v
}

// name returns a fresh name.
func (g *gen) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names-1)
}

// variable picks a variable of type t, or nil.
func (g *gen) variable(t *typ) *variable {
	var found []*variable
	for _, v := range g.vars {
		if v.typ == t {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[g.n(len(found))]
}

// simple picks a scalar variable of kind k.
func (g *gen) simple(k kind) (string, bool) {
	if v := g.variable(scalars[k]); v != nil {
		return v.name, true
	}
	return "", false
}

// read picks a scalar of kind k in any variable, or in a part of one.
func (g *gen) read(k kind) (string, bool) {
	if len(g.vars) == 0 {
		return "", false
	}
	if g.n(3) > 0 {
		if p, ok := g.simple(k); ok {
			return p, ok
		}
	}
	for range 4 {
		p, found := g.descend(g.vars[g.n(len(g.vars))])
		if found == k {
			return p, true
		}
	}
	return "", false
}

// write picks a scalar that may be changed.
func (g *gen) write() (string, kind, bool) {
	for range 6 {
		if len(g.vars) == 0 {
			break
		}
		if v := g.vars[g.n(len(g.vars))]; !v.fixed {
			p, k := g.descend(v)
			return p, k, true
		}
	}
	return "", 0, false
}

// descend picks a scalar in v and returns its path and kind.
func (g *gen) descend(v *variable) (string, kind) {
	p, t := v.name, v.typ
	for !t.scalar() {
		if t.elem != nil {
			p += "[" + g.index(t.n) + "]"
			t = t.elem
		} else {
			f := t.fields[g.n(len(t.fields))]
			p += "." + f.name
			t = f.typ
		}
	}
	return p, t.kind
}

// bitsOf returns the expression that converts a scalar expression to uint64.
func bitsOf(k kind, e string) string {
	switch {
	case k == boolK:
		return "bitsOf(" + e + ")"
	case k == f32:
		return "bits32(" + e + ")"
	case k == f64:
		return "bits64(" + e + ")"
	case k == u64:
		return e
	}
	return "uint64(" + e + ")"
}

// value returns an expression of type t.
func (g *gen) value(t *typ, depth int) string {
	if t.scalar() {
		return g.expr(t.kind, depth)
	}
	if v := g.variable(t); v != nil && g.n(3) == 0 {
		return v.name
	}
	if t == pair && g.n(3) == 0 {
		return "in.P[" + g.index(64) + "]"
	}
	s := t.name + "{"
	if t.elem != nil {
		for i := range t.n {
			if g.n(3) == 0 {
				s += fmt.Sprintf("%d: %s, ", i, g.value(t.elem, min(depth, 1)))
			}
		}
	} else {
		for _, f := range t.fields {
			if g.n(3) > 0 {
				s += fmt.Sprintf("%s: %s, ", f.name, g.value(f.typ, min(depth, 1)))
			}
		}
	}
	return s + "}"
}
