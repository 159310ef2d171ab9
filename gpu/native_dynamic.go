package gpu

import (
	"fmt"
	"reflect"
	"unsafe"
)

// maxDynamic is the largest size of dynamic shared memory in bytes; it is more than any GPU
// has per block.
const maxDynamic = 1 << 20

// dynamicSlot is the slot number of dynamic shared memory, from which its poison is
// computed.
const dynamicSlot = 1<<32 - 1

// dynamic returns the block's dynamic shared memory. The first call allocates and poisons
// it.
func (th *thread) dynamic() dynamicMemory {
	b, n := th.b, th.l.dynamic
	if b.dynamic == nil && n > 0 {
		words := reflect.New(reflect.ArrayOf((n+7)/8, reflect.TypeFor[uint64]()))
		b.poisonShared(&th.l.options, words, dynamicSlot)
		b.dynamic = unsafe.Slice((*byte)(words.UnsafePointer()), n)
	}
	return b.dynamic
}

// dynamicShared returns the dynamic shared memory of t's block from a byte offset on.
func dynamicShared[T any](t Thread, offset uint32) []T {
	typ := reflect.TypeFor[T]()
	switch {
	case !plain(typ):
		panic(misuse(fmt.Sprintf("DynamicShared: %v contains pointers", typ)))
	case holdsBool(typ):
		panic(misuse(fmt.Sprintf("DynamicShared: %v contains a bool, for which arbitrary bytes are not valid", typ)))
	case typ.Size() == 0:
		panic(misuse(fmt.Sprintf("DynamicShared: %v has no bytes", typ)))
	case uintptr(offset)%uintptr(typ.Align()) != 0:
		panic(misuse(fmt.Sprintf("DynamicShared: offset %d is not a multiple of %d, the alignment of %v", offset, typ.Align(), typ)))
	}
	mem := t.x.dynamic()
	if n := (uintptr(len(mem)) - min(uintptr(len(mem)), uintptr(offset))) / typ.Size(); n > 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&mem[offset])), n)
	}
	return nil
}

// holdsBool reports whether t is or contains a bool.
func holdsBool(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool:
		return true
	case reflect.Array:
		return holdsBool(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if holdsBool(f.Type) {
				return true
			}
		}
	}
	return false
}
