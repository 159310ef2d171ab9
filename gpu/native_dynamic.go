package gpu

import (
	"fmt"
	"reflect"
	"unsafe"
)

// maxDynamic is more than any GPU gives a block.
const maxDynamic = 1 << 20

// dynamicSlot tells the poison of dynamic shared memory from that of variables.
const dynamicSlot = 1<<32 - 1

// dynamic is the block's dynamic shared memory, poisoned when it is first used.
func (th *thread) dynamic() dynamicMemory {
	b, n := th.b, th.l.dynamic
	if b.dynamic == nil && n > 0 {
		words := reflect.New(reflect.ArrayOf((n+7)/8, reflect.TypeFor[uint64]()))
		b.poisonShared(&th.l.options, words, dynamicSlot)
		b.dynamic = unsafe.Slice((*byte)(words.UnsafePointer()), n)
	}
	return b.dynamic
}

// dynamicShared is the dynamic shared memory of t's block from a byte on.
func dynamicShared[T any](t Thread, offset uint32) []T {
	typ := reflect.TypeFor[T]()
	switch {
	case !plain(typ):
		panic(misuse(fmt.Sprintf("DynamicShared: %v holds pointers", typ)))
	case holdsBool(typ):
		panic(misuse(fmt.Sprintf("DynamicShared: %v holds a bool, and any byte could be there", typ)))
	case typ.Size() == 0:
		panic(misuse(fmt.Sprintf("DynamicShared: %v has no bytes", typ)))
	case uintptr(offset)%uintptr(typ.Align()) != 0:
		panic(misuse(fmt.Sprintf("DynamicShared: offset %d is no multiple of %d, the alignment of %v", offset, typ.Align(), typ)))
	}
	mem := t.x.dynamic()
	if n := (uintptr(len(mem)) - min(uintptr(len(mem)), uintptr(offset))) / typ.Size(); n > 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&mem[offset])), n)
	}
	return nil
}

// holdsBool reports a type that is or holds a bool.
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
