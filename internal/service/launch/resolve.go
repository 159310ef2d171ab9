package launch

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// ArgumentError is what is wrong with an argument of a kernel.
type ArgumentError struct {
	Option *option.Option // Arg or Bind
	Name   string         // of the argument, as the user wrote it
	place  usage.Message  // the option, with the argument where it has a value
	Reason error
}

// Error returns the argument and what is wrong with it, in the words of the command line.
func (e *ArgumentError) Error() string { return e.In(usage.CommandLine) }

// In returns the argument and what is wrong with it, in the words of a caller.
func (e *ArgumentError) In(c usage.Caller) string {
	return e.place.In(c) + ": " + usage.In(e.Reason, c)
}

// Unwrap returns what is wrong, without the argument.
func (e *ArgumentError) Unwrap() error { return e.Reason }

// given is the text given for a leaf.
type given struct {
	from *option.Option // Arg or Bind
	Assignment
	part string // the part of Value for this leaf
}

// fail adds the name of the argument to an error.
func (g given) fail(err error) error {
	var done *ArgumentError
	var mistake *usage.Error
	var large *memory.Error
	switch {
	case err == nil || errors.As(err, &done) || signals.Ended(err):
		return err
	case errors.As(err, &large):
		return g.error(err)
	case errors.As(err, &mistake):
		return g.error(usage.Errorf(mistake.Hint, "%v", err))
	}
	return g.error(usage.Errorf("", "%v", err))
}

// error returns err as an error of the argument.
func (g given) error(err error) error {
	return &ArgumentError{g.from, g.Name, usage.Say("%s %s=%s", g.from, g.Name, g.Value), err}
}

// fileError is the error for a file that cannot be read, which is not a usage
// error.
type fileError struct{ error }

// resolver computes the values of a kernel's parameters.
type resolver struct {
	ctx    context.Context
	kernel string
	seed   uint64
	copies uint64 // number of copies of each buffer during a launch, for the memory check

	leaves  map[string]*leaf
	names   []string // of leaves, in order
	given   map[string]given
	active  map[string]bool // being resolved
	scalars map[string]uint64
	data    map[string]*Data // nil for nil
	bytes   uint64           // of data
}

// newResolver returns a resolver for the arguments and the bound constants.
func newResolver(ctx context.Context, kernel string, params []*Param, seed uint64, args, bind []Assignment) (*resolver, error) {
	r := &resolver{ctx: ctx, kernel: kernel, seed: seed, copies: 1,
		leaves: map[string]*leaf{}, given: map[string]given{}, active: map[string]bool{}, scalars: map[string]uint64{}, data: map[string]*Data{}}
	for _, p := range params {
		for _, l := range p.leaves {
			r.leaves[l.name], r.names = l, append(r.names, l.name)
		}
		if len(p.leaves) > maxParts {
			return nil, usage.Errorf("pass a slice", "parameter %s %s has more than %d parts, too many to give values to", p.Name, p.Type, maxParts)
		}
	}
	for _, a := range args {
		if err := r.give(option.Arg, a, params); err != nil {
			return nil, err
		}
	}
	for _, a := range bind {
		if err := r.give(option.Bind, a, params); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// give records an argument for the leaves that it names.
func (r *resolver) give(from *option.Option, a Assignment, params []*Param) error {
	one := func(g given, l *leaf) error {
		if other, twice := r.given[l.name]; twice {
			what := usage.Say("%s", from)
			if other.from != from {
				what = usage.Say("%s and %s", from, other.from)
			}
			return usage.Errorf("", "%s: %s is given twice", what, l.name)
		}
		if l.form != scalar && from == option.Bind {
			return g.fail(usage.Errorf(usage.Say("write %s", option.Arg.With(l.name+"="+l.example())), "%s is a %s, and only numbers and bools can be constants", l.name, l.form))
		}
		r.given[l.name] = g
		return nil
	}
	g := given{from, a, a.Value}
	if l := r.leaves[a.Name]; l != nil {
		return one(g, l)
	}
	for _, p := range params {
		if p.Name != a.Name {
			continue
		}
		var parts []string
		for _, l := range p.leaves {
			parts = append(parts, l.name)
		}
		if len(parts) == 0 {
			return g.fail(fmt.Errorf("%s %s takes no value", p.Name, p.Type))
		}
		if slices.ContainsFunc(p.leaves, func(l *leaf) bool { return l.form != scalar }) {
			return g.fail(usage.Errorf(usage.Say("give them by themselves, such as %s", from.With(parts[0]+"="+p.leaves[0].example())), "%s %s has the parts %s", p.Name, p.Type, list(parts)))
		}
		items := strings.Split(strings.TrimSuffix(a.Value, ","), ",")
		if len(items) != len(parts) {
			return g.fail(usage.Errorf(usage.Say("give a value for each, with commas between them, or one by one, such as %s", from.With(parts[0]+"="+p.leaves[0].example())),
				"%d values for the %d parts of %s %s: %s", len(items), len(parts), p.Name, p.Type, list(parts)))
		}
		for i, l := range p.leaves {
			g.part = strings.TrimSpace(items[i])
			if err := one(g, l); err != nil {
				return err
			}
		}
		return nil
	}
	return r.unknown(from, a.Name)
}

// few is the maximum number of names that a message lists.
const few = 8

// list returns the first few of names.
func list(names []string) string {
	if len(names) > few {
		return strings.Join(names[:few], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

func (r *resolver) unknown(from *option.Option, name string) error {
	err := usage.Errorf("", "unknown parameter %q: kernel %s takes none", name, r.kernel)
	if len(r.names) > 0 {
		unknown := usage.Unknown("parameter", name, r.names, "").(*usage.Error)
		err = usage.Errorf(unknown.Hint, "%s of kernel %s", unknown.What, r.kernel)
	}
	return &ArgumentError{from, name, usage.Say("%s", from), err}
}

// missing returns the error for leaves without a value.
func (r *resolver) missing(params []*Param) error {
	var what []string
	var hint []usage.Message
	for _, p := range params {
		for _, l := range p.leaves {
			if _, ok := r.given[l.name]; !ok {
				what, hint = append(what, l.name+" "+l.typ), append(hint, option.Arg.With(l.name+"="+l.example()))
			}
		}
	}
	switch len(what) {
	case 0:
		return nil
	case 1:
		return usage.Errorf(usage.Say("such as %s", hint[0]), "kernel %s needs an argument for %s", r.kernel, what[0])
	}
	return usage.Errorf(usage.Say("such as %s", usage.Join(hint[:min(few, len(hint))], " ")), "kernel %s needs arguments for %s", r.kernel, list(what))
}

// resolve computes the value of the leaf with this name.
func (r *resolver) resolve(name string) error {
	l, g := r.leaves[name], r.given[name]
	_, isScalar := r.scalars[name]
	_, isData := r.data[name]
	switch {
	case isScalar || isData:
		return nil
	case r.active[name]:
		return g.fail(fmt.Errorf("%s depends on itself", name))
	}
	r.active[name] = true
	defer delete(r.active, name)
	if l.form == scalar {
		v, err := ParseValue(g.part)
		if err == nil && v.Source != "scalar" {
			err = usage.Errorf(usage.Say("write %s", g.from.With(name+"="+l.example())), "%s is a %s, not a slice", name, l.typ)
		}
		if err == nil {
			r.scalars[name], err = r.scalar(l.kind(), g.part)
		}
		return g.fail(err)
	}
	d, err := r.memory(l, g)
	var file *fileError
	if errors.As(err, &file) && !signals.Ended(err) {
		return g.error(file.error)
	}
	if err == nil {
		r.data[name] = d
	}
	return g.fail(err)
}

// scalar returns a value of kind k; integers may be expressions.
func (r *resolver) scalar(k kind, text string) (uint64, error) {
	bits, err := k.literal(text)
	if err == nil || k.isBool() {
		return bits, err
	}
	if _, number := parseInt(text); number { // report the range error
		return 0, err
	}
	computed := strings.ContainsAny(text, "+-*/(") || r.leaves[text] != nil
	if !computed && text[0] >= '0' && text[0] <= '9' {
		return 0, err
	}
	if !computed {
		return 0, usage.Errorf(strings.TrimSuffix(usage.Meant(text, r.names), "\n"), "%v", err)
	}
	n, failed := expression(text, r.integer)
	if failed != nil {
		if _, number, _ := strings.Cut(text, "e"); k.isFloat() && number != "" && !strings.ContainsAny(text, "*/(") {
			return 0, err // such as 1e+x
		}
		return 0, failed
	}
	if k.isFloat() {
		v, _ := new(big.Float).SetInt(n).Float64()
		return k.float(v)
	}
	return k.integer(n)
}

// integer returns the value of a name in an expression.
func (r *resolver) integer(name string, length bool) (*big.Int, error) {
	l := r.leaves[name]
	if l == nil {
		return nil, usage.Errorf(strings.TrimSuffix(usage.Meant(name, r.names), "\n"), "%q is not a parameter of kernel %s", name, r.kernel)
	}
	if _, ok := r.given[name]; !ok {
		return nil, fmt.Errorf("%s has no value", name)
	}
	switch {
	case length && l.form == scalar:
		return nil, fmt.Errorf("%s is a %s, which has no length", name, l.typ)
	case !length && l.form != scalar:
		return nil, fmt.Errorf("%s is a %s; len(%s) is its length", name, l.form, name)
	case !length && !l.kind().isInt():
		return nil, fmt.Errorf("%s is a %s; expressions can use only integers", name, l.typ)
	}
	if err := r.resolve(name); err != nil {
		return nil, err
	}
	switch k := l.elem.fields; {
	case length && r.data[name] == nil:
		return new(big.Int), nil
	case length:
		return big.NewInt(int64(r.data[name].elements())), nil
	case k[0].kind.isSigned():
		return big.NewInt(k[0].kind.signed(r.scalars[name])), nil
	}
	return new(big.Int).SetUint64(r.scalars[name]), nil
}
