package launch

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/weft-gpu/weft/internal/infile"
	"github.com/weft-gpu/weft/internal/memory"
	"github.com/weft-gpu/weft/internal/signals"
	"github.com/weft-gpu/weft/internal/usage"
)

// argError is an error that names the argument.
type argError struct{ error }

func (e *argError) Unwrap() error { return e.error }

// given is the text given for a leaf.
type given struct {
	flag string // "arg" or "bind"
	Assignment
	part string // the part of Value for this leaf
}

// fail adds the name of the argument to an error.
func (g given) fail(err error) error {
	var done *argError
	var mistake *usage.Error
	var large *memory.Error
	what := fmt.Sprintf("--%s %s=%s", g.flag, g.Name, g.Value)
	switch {
	case err == nil || errors.As(err, &done) || signals.Ended(err):
		return err
	case errors.As(err, &large):
		return &argError{fmt.Errorf("%s: %w", what, err)}
	case errors.As(err, &mistake):
		return &argError{usage.Errorf(mistake.Hint, "%s: %v", what, err)}
	}
	return &argError{usage.Errorf("", "%s: %v", what, err)}
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
		if err := r.give("arg", a, params); err != nil {
			return nil, err
		}
	}
	for _, a := range bind {
		if err := r.give("bind", a, params); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// give records an argument for the leaves that it names.
func (r *resolver) give(flag string, a Assignment, params []*Param) error {
	one := func(g given, l *leaf) error {
		if other, twice := r.given[l.name]; twice {
			what := "--" + flag
			if other.flag != flag {
				what += " and --" + other.flag
			}
			return usage.Errorf("", "%s: %s is given twice", what, l.name)
		}
		if l.form != scalar && flag == "bind" {
			return g.fail(usage.Errorf(fmt.Sprintf("write --arg %s", quoted(l.name+"="+l.example())), "%s is a %s, and only numbers and bools can be constants", l.name, l.form))
		}
		r.given[l.name] = g
		return nil
	}
	g := given{flag, a, a.Value}
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
			return g.fail(usage.Errorf("give them by themselves, such as --"+flag+" "+quoted(parts[0]+"="+p.leaves[0].example()), "%s %s has the parts %s", p.Name, p.Type, list(parts)))
		}
		items := strings.Split(strings.TrimSuffix(a.Value, ","), ",")
		if len(items) != len(parts) {
			return g.fail(usage.Errorf("give a value for each, with commas between them, or one by one, such as --"+flag+" "+quoted(parts[0]+"="+p.leaves[0].example()),
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
	return r.unknown(flag, a.Name)
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

func (r *resolver) unknown(flag, name string) error {
	if len(r.names) == 0 {
		return usage.Errorf("", "--%s: unknown parameter %q: kernel %s takes none", flag, name, r.kernel)
	}
	e := usage.Unknown("parameter", name, r.names, "").(*usage.Error)
	e.What = fmt.Sprintf("--%s: %s of kernel %s", flag, e.What, r.kernel)
	return e
}

// missing returns the error for leaves without a value.
func (r *resolver) missing(params []*Param) error {
	var what, hint []string
	for _, p := range params {
		for _, l := range p.leaves {
			if _, ok := r.given[l.name]; !ok {
				what, hint = append(what, l.name+" "+l.typ), append(hint, "--arg "+quoted(l.name+"="+l.example()))
			}
		}
	}
	switch len(what) {
	case 0:
		return nil
	case 1:
		return usage.Errorf("such as "+hint[0], "kernel %s needs an argument for %s", r.kernel, what[0])
	}
	return usage.Errorf("such as "+strings.Join(hint[:min(few, len(hint))], " "), "kernel %s needs arguments for %s", r.kernel, list(what))
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
			err = usage.Errorf(fmt.Sprintf("write --%s %s", g.flag, quoted(name+"="+l.example())), "%s is a %s, not a slice", name, l.typ)
		}
		if err == nil {
			r.scalars[name], err = r.scalar(l.kind(), g.part)
		}
		return g.fail(err)
	}
	d, err := r.memory(l, g)
	var file *fileError
	if errors.As(err, &file) && !signals.Ended(err) {
		return &argError{fmt.Errorf("--%s %s=%s: %w", g.flag, g.Name, g.Value, file.error)}
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

// maxElements is the maximum number of elements of a slice in a kernel.
const maxElements = 1<<32 - 1

// reserve allocates memory for that many units, if enough is available.
func (r *resolver) reserve(l *leaf, units int) (*Data, error) {
	n := uint64(units) * uint64(l.elem.size)
	if err := memory.Need(r.copies*n, "the argument"); err != nil {
		return nil, err
	}
	if r.bytes += n; r.bytes > n {
		if err := memory.Need(r.copies*r.bytes, "the argument, with those before it,"); err != nil {
			return nil, err
		}
	}
	return newData(l, units), nil
}

// memory returns the content of a slice, or of a pointer's target; nil for nil.
func (r *resolver) memory(l *leaf, g given) (*Data, error) {
	v, err := ParseValue(g.part)
	if err != nil {
		return nil, err
	}
	if e := l.elem; len(e.fields) == 0 || len(e.fields) > maxParts || e.units == 0 {
		if v.Source == "nil" {
			return nil, nil
		}
		return nil, usage.Errorf("write nil", "%s has elements that cannot be given a value", l.name)
	}
	switch v.Source {
	case "nil":
		return nil, nil
	case "file":
		return r.file(l, v.Items[0])
	case "scalar":
		if l.form == slice {
			return nil, usage.Errorf(fmt.Sprintf("write %s=zeros:%s for so many zero elements, or %s=%s, for this one element", l.name, v.Text, l.name, v.Text), "%s is a slice, %s", l.name, l.typ)
		}
		return r.items(l, v.Items)
	case "list":
		return r.items(l, v.Items)
	}
	n := big.NewInt(1)
	if len(v.Items) > 0 {
		if n, err = expression(v.Items[0], r.integer); err != nil {
			return nil, err
		}
	} else if l.form == slice {
		return nil, usage.Errorf("", "write %s:N, such as %s:1024", v.Source, v.Source)
	}
	switch {
	case n.Sign() < 0:
		return nil, fmt.Errorf("%v elements; a slice has at least 0", n)
	case n.Cmp(big.NewInt(maxElements)) > 0:
		return nil, fmt.Errorf("%v elements; a kernel takes fewer than 2^32", n)
	case l.form == pointer && n.Sign() == 0:
		return nil, fmt.Errorf("%s is a pointer: it needs at least one element", l.name)
	}
	units := int(n.Int64())
	if units > 0 && l.elem.units > math.MaxInt/max(l.elem.size, 1)/units {
		return nil, &memory.Error{What: "the argument", Needed: math.MaxUint64, Available: available()}
	}
	d, err := r.reserve(l, units*l.elem.units)
	if err != nil {
		return nil, err
	}
	for _, f := range l.elem.fields {
		if err := r.fill(d, f, v); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// available returns the available memory, for a message.
func available() uint64 {
	n, _ := memory.Available()
	return n
}

// often is the number of elements after which a loop checks whether it was
// cancelled.
const often = 1 << 20

// each sets a field of every unit.
func (r *resolver) each(d *Data, f field, value func(i int) uint64) error {
	for i := range d.units {
		if i%often == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		d.set(i, f, value(i))
	}
	return nil
}

// fill fills one field of every unit.
func (r *resolver) fill(d *Data, f field, v Value) error {
	switch v.Source {
	case "zeros":
		return nil
	case "ones":
		one, _ := f.kind.literal("1")
		if f.kind.isBool() {
			one = 1
		}
		return r.each(d, f, func(int) uint64 { return one })
	case "fill":
		bits, err := r.scalar(f.kind, v.Items[1])
		if err != nil {
			return err
		}
		return r.each(d, f, func(int) uint64 { return bits })
	case "iota":
		return r.iota(d, f, v.Items[1:])
	}
	return r.random(d, f, v.Items)
}

func (r *resolver) iota(d *Data, f field, items []string) (err error) {
	k := f.kind
	if k.isBool() {
		return fmt.Errorf("iota counts, and %s is a bool", d.leaf.name+f.name)
	}
	from, step := uint64(0), uint64(1)
	if k.isFloat() {
		step, _ = k.float(1)
	}
	for i, to := range []*uint64{&from, &step} {
		if i < len(items) {
			if *to, err = r.scalar(k, items[i]); err != nil {
				return err
			}
		}
	}
	if k.isFloat() {
		a, s := k.asFloat(from), k.asFloat(step)
		return r.each(d, f, func(i int) uint64 {
			bits, _ := k.float(a + s*float64(i))
			return bits
		})
	}
	if d.units > 0 {
		last := new(big.Int).Mul(k.big(step), big.NewInt(int64(d.units-1)))
		if _, err := k.integer(last.Add(last, k.big(from))); err != nil {
			return fmt.Errorf("the last element: %w", err)
		}
	}
	return r.each(d, f, func(i int) uint64 { return from + step*uint64(i) })
}

// big returns a representation of an integer kind as a number.
func (k kind) big(bits uint64) *big.Int {
	if k.isSigned() {
		return big.NewInt(k.signed(bits))
	}
	return new(big.Int).SetUint64(bits)
}

func (r *resolver) random(d *Data, f field, items []string) (err error) {
	k := f.kind
	h := fnv.New64a()
	fmt.Fprint(h, d.leaf.name, f.name)
	source := rand.New(rand.NewPCG(r.seed, h.Sum64()))
	if k.isBool() {
		if len(items) == 3 {
			return fmt.Errorf("%s is a bool, which has no range", d.leaf.name+f.name)
		}
		return r.each(d, f, func(int) uint64 { return source.Uint64() & 1 })
	}
	var from, to uint64
	if len(items) == 3 {
		if from, err = r.scalar(k, items[1]); err != nil {
			return err
		}
		if to, err = r.scalar(k, items[2]); err != nil {
			return err
		}
	} else if k.isFloat() {
		to, _ = k.float(1)
	} else {
		return r.each(d, f, func(int) uint64 { return source.Uint64() })
	}
	if k.isFloat() {
		a, b := k.asFloat(from), k.asFloat(to)
		if !(a < b) || math.IsInf(a, 0) || math.IsInf(b-a, 0) {
			return fmt.Errorf("there is no number from %s up to, but without, %s", items[1], items[2])
		}
		return r.each(d, f, func(int) uint64 {
			for {
				bits, _ := k.float(a + (b-a)*source.Float64())
				if k.compare(bits, to) < 0 { // rounding can reach it
					return bits
				}
			}
		})
	}
	if k.compare(from, to) >= 0 {
		return fmt.Errorf("there is no number from %s up to, but without, %s", items[1], items[2])
	}
	width := new(big.Int).Sub(k.big(to), k.big(from)).Uint64()
	return r.each(d, f, func(int) uint64 { return from + source.Uint64N(width) })
}

// items fills memory with the given numbers.
func (r *resolver) items(l *leaf, items []string) (*Data, error) {
	per := len(l.elem.fields)
	if want := per * l.elem.units; len(items)%want != 0 {
		return nil, fmt.Errorf("%s, and an element of %s has %d", count(len(items), "value"), l.name, want)
	}
	d, err := r.reserve(l, len(items)/per)
	if err != nil {
		return nil, err
	}
	for i, item := range items {
		f := l.elem.fields[i%per]
		bits, err := r.scalar(f.kind, item)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name(i/per)+f.name, err)
		}
		d.set(i/per, f, bits)
	}
	return d, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// textFile reports whether a file has numbers as text.
func textFile(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".txt") }

// maxFile limits the size of an input file.
const maxFile = 1 << 45

// file returns the content of a file.
func (r *resolver) file(l *leaf, path string) (*Data, error) {
	content, err := infile.ReadAll(r.ctx, path, maxFile)
	if err != nil {
		return nil, &fileError{err}
	}
	if textFile(path) {
		return r.text(l, content)
	}
	each := l.elem.size * l.elem.units
	if len(content)%each != 0 {
		return nil, &fileError{fmt.Errorf("%d bytes, and an element of %s has %d", len(content), l.name, each)}
	}
	if len(content) == 0 && l.form == pointer {
		return nil, &fileError{fmt.Errorf("%s is a pointer: it needs at least one element", l.name)}
	}
	d, err := r.reserve(l, len(content)/l.elem.size)
	if err != nil {
		return nil, err
	}
	copy(d.bytes, content)
	d.normalize()
	return d, nil
}

// text parses a file of numbers as text.
func (r *resolver) text(l *leaf, content []byte) (*Data, error) {
	var bits []uint64
	fields := l.elem.fields
	n := 0
	for line := range strings.Lines(string(content)) {
		n++
		for word := range strings.FieldsFuncSeq(line, func(c rune) bool { return c == ',' || unicode.IsSpace(c) }) {
			v, err := fields[len(bits)%len(fields)].kind.literal(word)
			if err != nil {
				return nil, &fileError{fmt.Errorf("line %d: %w", n, err)}
			}
			bits = append(bits, v)
		}
	}
	if want := len(fields) * l.elem.units; len(bits)%want != 0 || len(bits) == 0 && l.form == pointer {
		return nil, &fileError{fmt.Errorf("%s, and an element of %s has %d", count(len(bits), "number"), l.name, want)}
	}
	d, err := r.reserve(l, len(bits)/len(fields))
	if err != nil {
		return nil, err
	}
	for i, v := range bits {
		d.set(i/len(fields), fields[i%len(fields)], v)
	}
	return d, nil
}

// bound returns the values of --bind by parameter, in the form that a compiler
// takes. Either all parts of a parameter must be bound, or none.
func (r *resolver) bound(params []*Param) (map[string]any, error) {
	values := map[string]any{}
	for _, p := range params {
		var have, lack []string
		for _, l := range p.leaves {
			if r.given[l.name].flag == "bind" {
				have = append(have, l.name)
			} else {
				lack = append(lack, l.name)
			}
		}
		if len(have) == 0 {
			continue
		}
		if len(lack) > 0 {
			return nil, usage.Errorf("", "--bind: %s is bound, and %s of the same parameter %s", have[0], list(lack), map[bool]string{true: "is not", false: "are not"}[len(lack) == 1])
		}
		t, ok := goType(p.typ)
		if !ok {
			return nil, usage.Errorf("", "--bind: %s %s cannot be a constant", p.Name, p.Type)
		}
		v, next := reflect.New(t).Elem(), 0
		for _, l := range p.leaves {
			if err := r.resolve(l.name); err != nil {
				return nil, err
			}
		}
		r.assign(v, p, p.typ, &next)
		values[p.Name] = v.Interface()
	}
	return values, nil
}

// assign sets a value of type t from the leaves of a parameter, starting at
// *next.
func (r *resolver) assign(v reflect.Value, p *Param, t types.Type, next *int) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if u.Field(i).Name() != "_" {
				r.assign(v.Field(i), p, u.Field(i).Type(), next)
			}
		}
	case *types.Array:
		for i := range v.Len() {
			r.assign(v.Index(i), p, u.Elem(), next)
		}
	default:
		l := p.leaves[*next]
		*next++
		v.Set(reflect.ValueOf(l.kind().value(r.scalars[l.name])))
	}
}
