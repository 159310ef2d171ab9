package tensormap

import "fmt"

// MaxDims is the largest number of dimensions.
const MaxDims = 3

// What the driver asks for: bytes that addresses, pitches and rows of a box are a multiple of, and the largest box along a dimension.
const (
	granule = 16
	maxBox  = 256
	maxStep = 1 << 40 // bytes of a pitch
)

// Map describes a tensor, and its boxes. Sizes, pitches and boxes are in elements; those of the dimensions that it lacks are 1.
type Map struct {
	Dims    int
	Elem    uint64          // bytes of an element
	Sizes   [MaxDims]uint64 // of the tensor
	Pitches [MaxDims]uint64 // from an element to the next one along a dimension; the first is 1
	Box     [MaxDims]uint64
	Swizzle uint64 // 0, 32, 64 or 128
}

// New returns a map without sizes.
func New(dims int, elem uint64) Map {
	return Map{Dims: dims, Elem: elem, Sizes: [MaxDims]uint64{1, 1, 1}, Pitches: [MaxDims]uint64{1, 0, 0}, Box: [MaxDims]uint64{1, 1, 1}}
}

// Bytes returns the size of a box.
func (m *Map) Bytes() uint64 { return m.Box[0] * m.Box[1] * m.Box[2] * m.Elem }

// Align returns what the address of a box in shared memory is a multiple of: 128, or with a swizzle what its pattern repeats after.
func (m *Map) Align() uint64 { return max(128, 8*m.Swizzle) }

// Misuse returns what is wrong with a map of a buffer of so many elements, whose field for the bytes of a box has a value; "" if nothing is.
func (m *Map) Misuse(elements, bytes uint64) string {
	last := uint64(0)
	for i := range m.Dims {
		switch {
		case m.Sizes[i] == 0:
			return fmt.Sprintf("Sizes[%d] is 0", i)
		case m.Box[i] == 0 || m.Box[i] > maxBox:
			return fmt.Sprintf("Box[%d] is %d; want 1 to %d", i, m.Box[i], maxBox)
		case i > 0 && (m.Pitches[i] == 0 || m.Pitches[i]*m.Elem%granule != 0):
			return fmt.Sprintf("Pitches[%d] is %d elements, %d bytes; want a multiple of %d bytes", i-1, m.Pitches[i], m.Pitches[i]*m.Elem, granule)
		case i > 0 && m.Pitches[i]*m.Elem >= maxStep:
			return fmt.Sprintf("Pitches[%d] is %d bytes; want fewer than 2^40", i-1, m.Pitches[i]*m.Elem)
		}
		last += (m.Sizes[i] - 1) * m.Pitches[i]
	}
	row := m.Box[0] * m.Elem
	switch {
	case last >= elements:
		return fmt.Sprintf("its last element is number %d, and Data has %d", last, elements)
	case row%granule != 0:
		return fmt.Sprintf("Box[0] is %d elements, %d bytes; want a multiple of %d bytes", m.Box[0], row, granule)
	case m.Swizzle != 0 && m.Swizzle != 32 && m.Swizzle != 64 && m.Swizzle != 128:
		return fmt.Sprintf("Swizzle is %d; want 0, 32, 64 or 128", m.Swizzle)
	case m.Swizzle != 0 && row != m.Swizzle: // the driver takes shorter rows as well; what their layout is was not measured
		return fmt.Sprintf("Box[0] is %d bytes; with a Swizzle of %d a row of a box has as many", row, m.Swizzle)
	case bytes != m.Bytes():
		return fmt.Sprintf("Bytes is %d; a box has %d", bytes, m.Bytes())
	}
	return ""
}

// Unstorable returns why boxes cannot be stored to the tensor; "" if they can. An H200 stores whole pieces of 16 bytes, also where a row of the
// tensor ends within one (results/hw/asynchronous/boxes.cu).
func (m *Map) Unstorable() string {
	if row := m.Sizes[0] * m.Elem; row%granule != 0 {
		return fmt.Sprintf("Sizes[0] is %d elements, %d bytes; of a tensor to which boxes are stored, it is a multiple of %d bytes", m.Sizes[0], row, granule)
	}
	return ""
}

// Box is a box of a tensor, at coordinates that may be outside of it, also in part.
type Box struct {
	*Map
	At [MaxDims]int64
}

// Misplaced returns why a GPU does not copy from the place of a box, or store to it; "" if it does. An H200 ends a kernel with an illegal
// instruction that breaks these rules (results/hw/asynchronous/boxes.cu).
func (b *Box) Misplaced(stores bool) string {
	if at := b.At[0] * int64(b.Elem); at%granule != 0 {
		return fmt.Sprintf("a box that begins at element %d along x, byte %d; want a multiple of %d bytes", b.At[0], at, granule)
	}
	for i, at := range b.At[:b.Dims] {
		if stores && at < 0 {
			return fmt.Sprintf("a box that begins at element %d along %c; one that is stored begins inside of the tensor or behind it", at, 'x'+i)
		}
	}
	return ""
}

// Unit returns the size in bytes of the pieces into which a box can be cut so that each is consecutive in the tensor and in shared memory, and as a
// whole inside or outside of the tensor: 16, or less where a row of the tensor does not end at a multiple of that.
func (b *Box) Unit() uint64 {
	all := granule | b.Sizes[0]*b.Elem
	return all & -all
}

// Piece returns where piece i of so many bytes begins: from in the tensor and to in the box, in bytes. Elements outside of the tensor are
// zeros in a box, and are not stored.
func (b *Box) Piece(i, unit uint64) (from, to uint64, inside bool) {
	to = i * unit
	row := b.Box[0] * b.Elem
	line := to / row
	x, y, z := b.At[0]*int64(b.Elem)+int64(to%row), b.At[1]+int64(line%b.Box[1]), b.At[2]+int64(line/b.Box[1])
	inside = x >= 0 && x < int64(b.Sizes[0]*b.Elem) && y >= 0 && y < int64(b.Sizes[1]) && z >= 0 && z < int64(b.Sizes[2])
	if inside {
		from = uint64(x) + (uint64(y)*b.Pitches[1]+uint64(z)*b.Pitches[2])*b.Elem
	}
	return from, Swizzled(to, b.Swizzle), inside
}

// Swizzled returns where a byte at an offset lies, or at an address, with a swizzle of so many bytes: see gpu.Swizzle128.
func Swizzled(at, swizzle uint64) uint64 {
	if swizzle == 0 {
		return at
	}
	return at ^ at>>7&(swizzle/granule-1)<<4
}

// Run is consecutive bytes of a box: From in the tensor, To in shared memory. Those outside of the tensor are not Inside.
type Run struct {
	From, To, Bytes uint64
	Inside          bool
}

// Runs calls yield for all bytes of the box, in the longest runs in the order of its elements. It ends if yield returns false.
func (b *Box) Runs(yield func(Run) bool) {
	unit := b.Unit()
	run := Run{}
	for i := range b.Bytes() / unit {
		from, to, inside := b.Piece(i, unit)
		if run.Bytes > 0 && inside == run.Inside && to == run.To+run.Bytes && (!inside || from == run.From+run.Bytes) {
			run.Bytes += unit
			continue
		}
		if run.Bytes > 0 && !yield(run) {
			return
		}
		run = Run{From: from, To: to, Bytes: unit, Inside: inside}
	}
	yield(run)
}

// InsideBytes returns how many bytes of the box are inside of the tensor.
func (b *Box) InsideBytes() uint64 {
	bytes := b.Elem
	for i := range b.Dims {
		first, end := max(b.At[i], 0), min(b.At[i]+int64(b.Box[i]), int64(b.Sizes[i]))
		bytes *= uint64(max(end-first, 0))
	}
	return bytes
}
