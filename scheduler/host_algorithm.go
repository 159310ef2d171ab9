//go:build !kernel

package scheduler

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// Type describes an algorithm type to host loops. The type need not be linked into the
// program; it may come from a user's directory.
type Type struct {
	Name   string       // as the compiler finds it: "kernels.PageRank"
	Value  reflect.Type // the type of a vertex's value: uint32, float32, ...
	Fields []Field      // the fields that hold data, in order of declaration
	// From names the type from which each method of Algorithm comes: the algorithm's own,
	// or an embedded one ("scheduler.Min").
	From map[string]string
	// Source reports whether a method reads Problem.Source, and Weighted whether a method
	// calls Edge.Weight. Runs of other algorithms have no source, or no weights.
	Source, Weighted bool
	// Symmetric reports whether the type has a method Symmetric that returns true. Then it
	// runs on the graph with the opposite of each arc added.
	Symmetric bool
	// Phased reports whether the algorithm runs in phases. Unordered reports whether the type
	// has a method Unordered that returns true: its answer is the same without phases.
	Phased, Unordered bool
	// Levels reports whether the phases are the levels of a search with a way back, of which a
	// scheme may keep lists.
	Levels bool
	// Spreads reports whether the type has a method Spreads that returns true: the answer for
	// a vertex is the Combine of the Init values of all vertices in its connected component.
	Spreads bool
	// Triangles reports whether the type has a method Triangles that returns true: the answer for a vertex is the number of triangles
	// that it is part of in the symmetric graph.
	Triangles bool
	// Strong reports whether the type has a method Strong that returns true: the answer for a vertex is a vertex of its strongly connected
	// component, the same one for all vertices of it.
	Strong bool
	// Reaches reports whether the type has a method Reaches that returns true: a vertex has its value at the end of the first iteration
	// in which an update reaches it.
	Reaches bool
	// Alike reports whether the type also has a method Alike that returns true: all vertices that an iteration reaches get the same value.
	Alike bool
	// Neighbors reports whether a method calls Edge.Common, which looks at the rows of both ends of an arc.
	Neighbors bool
}

// Field is a field of an algorithm type.
type Field struct {
	Name    string       // "Damping"
	Elem    reflect.Type // the scalar type; for an array, that of its elements
	Array   bool         // a slice with one element per vertex
	Default string       // of a scalar; "" means the zero value
}

// Params returns the names of the scalar fields as a user writes them.
func (t Type) Params() []string {
	var names []string
	for _, f := range t.Fields {
		if !f.Array {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return names
}

// Scalars returns the values of the scalar fields by lower-case name: the value from params
// if there is one, otherwise the default. The case of names in params does not matter. A
// name that the type does not have is an error.
func (t Type) Scalars(params map[string]string) (map[string]reflect.Value, error) {
	given := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		given[strings.ToLower(name)] = params[name]
	}
	values := map[string]reflect.Value{}
	for _, f := range t.Fields {
		if f.Array {
			continue
		}
		name := strings.ToLower(f.Name)
		text, ok := given[name]
		if !ok {
			text = f.Default
		}
		delete(given, name)
		v, err := ParseScalar(f.Elem, text)
		switch {
		case err != nil && !ok:
			return nil, fmt.Errorf("the default of parameter %s of %s, in the tag of field %s: %w", name, t.Name, f.Name, err)
		case err != nil:
			return nil, fmt.Errorf("parameter %s of %s: %w", name, t.Name, err)
		}
		values[name] = v
	}
	if len(given) > 0 {
		name := slices.Sorted(maps.Keys(given))[0]
		if have := t.Params(); len(have) > 0 {
			return nil, fmt.Errorf("%s has no parameter %q; there are: %s", t.Name, name, strings.Join(have, ", "))
		}
		return nil, fmt.Errorf("%s has no parameter %q; it has no parameters", t.Name, name)
	}
	return values, nil
}

// ParseScalar parses text as a number or bool of type t; "" is zero. The error describes
// the valid texts.
func ParseScalar(t reflect.Type, text string) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	if text == "" {
		return v, nil
	}
	switch k := t.Kind(); {
	case k == reflect.Bool:
		x, err := strconv.ParseBool(text)
		if err != nil {
			return v, fmt.Errorf("%q is neither true nor false", text)
		}
		v.SetBool(x)
	case v.CanInt():
		x, err := strconv.ParseInt(text, 0, t.Bits())
		if err != nil {
			least := int64(-1) << (t.Bits() - 1)
			return v, fmt.Errorf("%q is not a whole number from %d to %d", text, least, -(least + 1))
		}
		v.SetInt(x)
	case v.CanUint():
		x, err := strconv.ParseUint(text, 0, t.Bits())
		if err != nil {
			return v, fmt.Errorf("%q is not a whole number from 0 to %d", text, ^uint64(0)>>(64-t.Bits()))
		}
		v.SetUint(x)
	case v.CanFloat():
		x, err := strconv.ParseFloat(text, t.Bits())
		switch {
		case errors.Is(err, strconv.ErrRange):
			return v, fmt.Errorf("%q is too large for a number of %d bits", text, t.Bits())
		case err != nil:
			return v, fmt.Errorf("%q is not a number", text)
		}
		v.SetFloat(x)
	default:
		return v, fmt.Errorf("a parameter cannot be a %s", t)
	}
	return v, nil
}

// Instance is an algorithm on a device.
type Instance struct {
	Type   Type
	Arg    any // the launch argument for the algorithm
	arrays map[string]device.Buffer
	n      int
}

// arrayPrefix comes before the name of an algorithm's array in that of its buffer.
const arrayPrefix = "alg."

// New makes an instance for a graph of n vertices. Its arrays start as zero.
func (t Type) New(m *Memory, n int, params map[string]string) (*Instance, error) {
	scalars, err := t.Scalars(params)
	if err != nil {
		return nil, err
	}
	in := &Instance{Type: t, arrays: map[string]device.Buffer{}, n: n}
	var fields []reflect.StructField
	var values []reflect.Value
	for _, f := range t.Fields {
		v, ok := scalars[strings.ToLower(f.Name)]
		if f.Array || !ok {
			kind, _ := device.KindOfType(f.Elem) // of a scalar type
			b := m.Alloc(arrayPrefix+f.Name, kind, n)
			if m.Err() == nil {
				m.err = m.dev.Write(b, reflect.MakeSlice(reflect.SliceOf(f.Elem), max(n, 1), max(n, 1)).Interface())
			}
			in.arrays[f.Name] = b
			v = reflect.ValueOf(b)
		}
		fields = append(fields, reflect.StructField{Name: f.Name, Type: v.Type()})
		values = append(values, v)
	}
	arg := reflect.New(reflect.StructOf(fields)).Elem()
	for i, v := range values {
		arg.Field(i).Set(v)
	}
	in.Arg = arg.Interface()
	return in, m.Err()
}

// Arrays reads the algorithm's arrays from the device and returns them as slices, by field
// name.
func (in *Instance) Arrays(m *Memory) (map[string]any, error) { return in.Elements(m, 0, in.n) }

// Buffers returns the algorithm's arrays on the device, in the order of its fields. Each has an element for each vertex.
func (in *Instance) Buffers() (list []device.Buffer) {
	for _, f := range in.Type.Fields {
		if f.Array {
			list = append(list, in.arrays[f.Name])
		}
	}
	return list
}

// Elements is Arrays for the vertices from lo to hi (exclusive).
func (in *Instance) Elements(m *Memory, lo, hi int) (map[string]any, error) {
	arrays := map[string]any{}
	for _, f := range in.Type.Fields {
		if !f.Array {
			continue
		}
		s, err := m.ReadSlice(in.arrays[f.Name].Slice(lo, max(hi, lo)), f.Elem, hi-lo)
		if err != nil {
			return nil, err
		}
		arrays[f.Name] = s
	}
	return arrays, nil
}

// ReadSlice reads the first n elements of b into a new slice of elem.
func (m *Memory) ReadSlice(b device.Buffer, elem reflect.Type, n int) (any, error) {
	s := reflect.MakeSlice(reflect.SliceOf(elem), n, n).Interface()
	if n == 0 {
		return s, nil
	}
	if err := m.dev.Read(b.Slice(0, n), s); err != nil {
		return nil, fmt.Errorf("reading %s: %w", b.Name, err)
	}
	return s, nil
}
