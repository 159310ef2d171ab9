package gpu

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"
)

// This file detects atomics and ordered loads that read shared memory before any thread has
// written it. A plain store leaves no trace but its value. Therefore a new variable is
// filled with numbers that a kernel stores by accident with a probability of 1 in 2^31: a
// word that still holds its number, and to which no atomic or ordered store has written,
// counts as unwritten.

// watched is a shared variable of a block whose reads are checked.
type watched struct {
	base    uintptr
	bytes   []byte
	slot    uint32
	written []bool // words of 4 bytes that an atomic or ordered store has written; nil before the first
}

// poisonShared fills the new shared variable of a slot, to which p points.
func (b *block) poisonShared(o *options, p reflect.Value, slot uint32) {
	if o.poison >= 0 {
		fill(p.Elem(), byte(o.poison))
		return
	}
	fill(p.Elem(), 0xA5)
	if !words(p.Type().Elem()) {
		return
	}
	w := watched{base: p.Pointer(), bytes: unsafe.Slice((*byte)(p.UnsafePointer()), p.Type().Elem().Size()), slot: slot}
	for i := uintptr(0); i < uintptr(len(w.bytes)); i += 4 {
		binary.NativeEndian.PutUint32(w.bytes[i:], w.first(i))
	}
	if !o.unwritten {
		b.watched = append(b.watched, w)
	}
}

// words reports whether t consists of 32- and 64-bit numbers only, for which every bit
// pattern is valid.
func words(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return words(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if !words(f.Type) {
				return false
			}
		}
		return true
	}
	return t.Size() >= 4
}

// first returns the initial value of the word at an offset. It is so large that it is out
// of range as an index.
func (w *watched) first(off uintptr) uint32 {
	x := (uint64(w.slot)<<32 + uint64(off) + 1) * 0x9E3779B97F4A7C15
	x ^= x >> 29
	x *= 0xBF58476D1CE4E5B9
	return uint32(x>>32) | 1<<31
}

// look records that the running thread reads *p, writes it, or both.
func look[T Num](p *T, reads, writes bool) {
	if th := running; th != nil && th.b.watched != nil {
		th.b.use(uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p), reads, writes)
	}
}

// use records that a thread of the block reads or writes size bytes at an address.
func (b *block) use(at, size uintptr, reads, writes bool) {
	for i := range b.watched {
		if w := &b.watched[i]; at-w.base < uintptr(len(w.bytes)) {
			w.use(at-w.base, size, reads, writes)
			return
		}
	}
}

func (w *watched) use(off, size uintptr, reads, writes bool) {
	for i := off; i < off+size; i += 4 {
		if w.written != nil && w.written[i/4] {
			continue
		}
		if reads && binary.NativeEndian.Uint32(w.bytes[i:]) == w.first(i) {
			panic(misuse(fmt.Sprintf("byte %d of a shared variable is read, but no thread of the block has written it", i)))
		}
		if writes {
			if w.written == nil {
				w.written = make([]bool, len(w.bytes)/4)
			}
			w.written[i/4] = true
		}
	}
}
