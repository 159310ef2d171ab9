package gpu

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"slices"
	"unsafe"
)

// places says which of a block's shared variables a call of Shared means. It
// lives as long as a launch.
type places struct {
	sites map[uintptr]int // slot by the address that Shared returns to
	slots []slot
}

// slot is one shared variable of each block.
type slot struct {
	file  string
	line  int
	typ   reflect.Type
	calls [][]runtime.Frame // that led here, one for each site
}

// shared finds the block's variable of the place that called Shared; pointer
// is a nil pointer of its type.
func (th *thread) shared(pointer any) any {
	var pc [1]uintptr
	runtime.Callers(3, pc[:]) // beyond Callers, shared and Shared
	p := &th.l.places
	i, ok := p.sites[pc[0]]
	if !ok {
		i = p.add(pc[0], reflect.TypeOf(pointer).Elem())
	}
	if typ := reflect.TypeOf(pointer).Elem(); typ != p.slots[i].typ {
		panic(misuse(fmt.Sprintf("Shared: this line has a variable of type %v and one of type %v", p.slots[i].typ, typ)))
	}
	b := th.b
	if i >= len(b.shared) {
		b.shared = append(b.shared, make([]any, i+1-len(b.shared))...)
	}
	if b.shared[i] == nil {
		v := reflect.New(p.slots[i].typ)
		fill(v.Elem(), th.l.poison)
		b.shared[i] = v.Interface()
	}
	return b.shared[i]
}

// add finds or makes the slot of a site that is met for the first time, which
// is on top of the stack. Two sites may share a slot: the function that calls
// Shared may be compiled more than once.
func (p *places) add(site uintptr, typ reflect.Type) int {
	if !plain(typ) {
		panic(misuse(fmt.Sprintf("Shared: %v holds pointers", typ)))
	}
	var pcs [256]uintptr
	var calls []runtime.Frame
	for frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])]); ; {
		f, more := frames.Next()
		calls = append(calls, f)
		if !more {
			break
		}
	}
	top := calls[0]
	i := slices.IndexFunc(p.slots, func(s slot) bool { return s.file == top.File && s.line == top.Line })
	if i < 0 {
		i = len(p.slots)
		p.slots = append(p.slots, slot{file: top.File, line: top.Line, typ: typ})
	}
	s := &p.slots[i]
	for _, c := range s.calls {
		if slices.EqualFunc(c, calls, func(a, b runtime.Frame) bool {
			return a.Function == b.Function && a.File == b.File && a.Line == b.Line
		}) {
			panic(misuse(fmt.Sprintf("Shared: two calls on one line of %s", path.Base(top.File))))
		}
	}
	s.calls = append(s.calls, calls)
	if p.sites == nil {
		p.sites = map[uintptr]int{}
	}
	p.sites[site] = i
	return i
}

// plain reports a type without pointers.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Bool:
		return true
	default:
		return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 && t.Kind() != reflect.Uintptr
	}
}

// fill sets every byte of v to b. A bool must not hold anything but 0 and 1 in
// Go: it becomes true unless b is 0.
func fill(v reflect.Value, b byte) {
	switch v.Kind() {
	case reflect.Bool:
		*(*bool)(v.Addr().UnsafePointer()) = b != 0
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), b)
		}
	case reflect.Array:
		if k := v.Type().Elem().Kind(); k == reflect.Bool || k == reflect.Struct || k == reflect.Array {
			for i := range v.Len() {
				fill(v.Index(i), b)
			}
			return
		}
		if v.Len() > 0 {
			raw(v, b)
		}
	default:
		raw(v, b)
	}
}

// raw sets every byte of a number or an array of numbers.
func raw(v reflect.Value, b byte) {
	bytes := unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size())
	for i := range bytes {
		bytes[i] = b
	}
}
