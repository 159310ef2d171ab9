package gpu

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"unsafe"
)

// places maps calls of Shared to the shared variables of a block: there is one variable for
// each source line together with the lines of its callers, which is what the compiler sees
// after inlining. It exists for the duration of a launch.
type places struct {
	stacks map[string]int // slot, by the return addresses on the stack
	slots  []slot
	pcs    [128]uintptr
}

// slot is one shared variable; every block has its own instance.
type slot struct {
	typ   reflect.Type
	calls []runtime.Frame
}

// shared returns the block's variable for the caller of Shared. pointer is a nil pointer of
// its type.
func (th *thread) shared(pointer any) any {
	p, b := &th.l.places, th.b
	n := runtime.Callers(3, p.pcs[:]) // skip Callers, shared and Shared
	stack := unsafe.Slice((*byte)(unsafe.Pointer(&p.pcs)), uintptr(n)*unsafe.Sizeof(p.pcs[0]))
	i, ok := p.stacks[string(stack)]
	if !ok {
		i = p.add(p.pcs[:n], string(stack), reflect.TypeOf(pointer).Elem())
	}
	return b.variable(th.l, i)
}

// variable returns the block's shared variable of a slot.
func (b *block) variable(l *launch, i int) any {
	if i >= len(b.shared) {
		b.shared = append(b.shared, make([]any, i+1-len(b.shared))...)
	}
	if b.shared[i] == nil {
		v := reflect.New(l.places.slots[i].typ)
		b.poisonShared(&l.options, v, uint32(i))
		b.shared[i] = v.Interface()
	}
	return b.shared[i]
}

// add creates a slot for a stack that it has not seen before.
func (p *places) add(pcs []uintptr, stack string, typ reflect.Type) int {
	if !plain(typ) {
		panic(misuse(fmt.Sprintf("Shared: %v contains pointers", typ)))
	}
	var calls []runtime.Frame
	for frames, more := runtime.CallersFrames(pcs), true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		calls = append(calls, f)
	}
	for _, s := range p.slots {
		if slices.EqualFunc(s.calls, calls, func(a, b runtime.Frame) bool {
			return a.Function == b.Function && a.File == b.File && a.Line == b.Line
		}) {
			panic(misuse("Shared: two variables on one line"))
		}
	}
	if p.stacks == nil {
		p.stacks = map[string]int{}
	}
	p.stacks[stack] = len(p.slots)
	p.slots = append(p.slots, slot{typ, calls})
	return len(p.slots) - 1
}

// plain reports whether t contains no pointers.
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

// fill sets every byte of v to b. In Go a bool must not hold anything but 0 and 1: it
// becomes true unless b is 0.
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
