package launch

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/base/usage"
)

// This file makes the contents of buffers from the values of arguments.

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
