package gpu

import (
	"fmt"
	"unsafe"

	"github.com/weft-gpu/weft/internal/tensormap"
)

// nativeMap is a tensor map of any number of dimensions.
type nativeMap[T Num] struct {
	tensormap.Map
	data  []T
	bytes uint32
}

// NewTensorMap1 returns a map of all of data for plain Go, with boxes of so many elements.
func NewTensorMap1[T Num](data []T, box, swizzle uint32) TensorMap1[T] {
	return TensorMap1[T]{Data: data, Sizes: [1]uint32{uint32(len(data))}, Box: [1]uint32{box}, Swizzle: swizzle, Bytes: box * sizeOf[T]()}
}

// NewTensorMap2 returns a map for plain Go of a tensor whose rows follow each other in data.
func NewTensorMap2[T Num](data []T, sizes, box [2]uint32, swizzle uint32) TensorMap2[T] {
	return TensorMap2[T]{Data: data, Sizes: sizes, Pitches: [1]uint32{sizes[0]}, Box: box, Swizzle: swizzle, Bytes: box[0] * box[1] * sizeOf[T]()}
}

// NewTensorMap3 is [NewTensorMap2] of three dimensions.
func NewTensorMap3[T Num](data []T, sizes, box [3]uint32, swizzle uint32) TensorMap3[T] {
	return TensorMap3[T]{Data: data, Sizes: sizes, Pitches: [2]uint32{sizes[0], sizes[0] * sizes[1]}, Box: box, Swizzle: swizzle,
		Bytes: box[0] * box[1] * box[2] * sizeOf[T]()}
}

func mapOf1[T Num](m TensorMap1[T]) nativeMap[T] {
	s := tensormap.New(1, uint64(sizeOf[T]()))
	s.Sizes[0], s.Box[0], s.Swizzle = uint64(m.Sizes[0]), uint64(m.Box[0]), uint64(m.Swizzle)
	return nativeMap[T]{s, m.Data, m.Bytes}
}

func mapOf2[T Num](m TensorMap2[T]) nativeMap[T] {
	s := tensormap.New(2, uint64(sizeOf[T]()))
	for i := range m.Sizes {
		s.Sizes[i], s.Box[i] = uint64(m.Sizes[i]), uint64(m.Box[i])
	}
	s.Pitches[1], s.Swizzle = uint64(m.Pitches[0]), uint64(m.Swizzle)
	return nativeMap[T]{s, m.Data, m.Bytes}
}

func mapOf3[T Num](m TensorMap3[T]) nativeMap[T] {
	s := tensormap.New(3, uint64(sizeOf[T]()))
	for i := range m.Sizes {
		s.Sizes[i], s.Box[i] = uint64(m.Sizes[i]), uint64(m.Box[i])
	}
	s.Pitches[1], s.Pitches[2], s.Swizzle = uint64(m.Pitches[0]), uint64(m.Pitches[1]), uint64(m.Swizzle)
	return nativeMap[T]{s, m.Data, m.Bytes}
}

func sizeOf[T Num]() uint32 { return uint32(unsafe.Sizeof(*new(T))) }

// box returns a box of the tensor, after checks of its map and its place.
func (m *nativeMap[T]) box(x, y, z int32, name string, stores bool) tensormap.Box {
	why := m.Misuse(uint64(len(m.data)), uint64(m.bytes))
	if why == "" && stores {
		why = m.Unstorable()
	}
	if why != "" {
		panic(misuse(fmt.Sprintf("%s of a tensor map: %s", name, why)))
	}
	box := tensormap.Box{Map: &m.Map, At: [3]int64{int64(x), int64(y), int64(z)}}
	if why := box.Misplaced(stores); why != "" {
		panic(misuse(name + " of " + why))
	}
	return box
}

// beginTensor begins a copy of a box of the running thread, which completes on an mbarrier. Outside of a launch it is done at once.
func beginTensor[T Num](dst *T, m nativeMap[T], x, y, z int32, name string, barrier *uint64) {
	box, data, bytes := m.box(x, y, z, name, false), m.data, m.bytes
	_ = *dst // a nil pointer is the fault of this line
	land := func() {
		landBox(unsafe.Slice(dst, uint64(bytes)/m.Elem), data, &box)
		brought(barrier, uint64(bytes))
	}
	if running == nil {
		land()
		return
	}
	running.b.bulk = append(running.b.bulk, pendingCopy{land: land, at: barrier})
}

// landBox writes a box of the tensor in data to where it lies.
func landBox[T Num](to, data []T, box *tensormap.Box) {
	for run := range box.Runs {
		into := to[run.To/box.Elem : (run.To+run.Bytes)/box.Elem]
		if !run.Inside {
			clear(into)
			continue
		}
		copy(into, data[run.From/box.Elem:])
	}
}

// beginTensorStore begins a copy of the running thread to a box. Outside of a launch it is done at once.
func beginTensorStore[T Num](src *T, m nativeMap[T], x, y, z int32, name string) {
	box, data, bytes := m.box(x, y, z, name, true), m.data, m.bytes
	_ = *src // a nil pointer is the fault of this line
	var held []T
	p := pendingStore{read: func() { held = append(held, unsafe.Slice(src, uint64(bytes)/m.Elem)...) }, write: func() {
		for run := range box.Runs {
			if run.Inside {
				copy(data[run.From/m.Elem:], held[run.To/m.Elem:(run.To+run.Bytes)/m.Elem])
			}
		}
	}}
	if running == nil {
		p.land(false)
		return
	}
	s := &running.stores
	p.group = s.groups
	s.pending = append(s.pending, p)
}
