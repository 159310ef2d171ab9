package tensormap

import "encoding/binary"

// EncodedBytes is the size of a tensor map of a CUDA program (CUDA Driver API, CUtensorMap). A real GPU's driver encodes it, and says of none of its bits
// what they mean; for other devices it has the address of the tensor, the words of Words, and then nothing.
const EncodedBytes = 128

// Words are what an encoded map says beside the address, and what an instruction that copies a box adds to that:
//
//	flags  bits 0 and 1 the dimensions; 2 and 3 the logarithm of the bytes of an element; 4 and 5 that of the swizzle in units of 16 bytes; from bit 8 on
//	       the box less 1, 8 bits for each dimension; from bit 48 on a number by which an encoded map is known. An instruction adds of how many
//	       dimensions it copies a box, in bits 6 and 7, and the ranks of the blocks to which it goes, in bits 32 to 47
//	sizes  of the first two dimensions, 32 bits each
//	more   the size of the third dimension, and from bit 32 on the bytes of a box
//	pitch  of the second dimension in units of 16 bytes, and from bit 36 on of the third
type Words [4]uint64

const (
	elemAt, swizzleAt, dimsAt, boxAt = 2, 4, 6, 8
	mark, markAt                     = 0x7766, 48
	planeAt                          = 36
)

// Where what an instruction needs by itself is.
const (
	AddressAt = 0  // the byte of an encoded map with the address
	MoreWord  = 2  // the word with the bytes of a box,
	BoxBytes  = 32 // from this bit on
	RanksAt   = 32 // the bit of the flags from which the ranks are
)

// MaxPlane is the largest pitch of the third dimension in bytes.
const MaxPlane = granule * (1<<(64-planeAt) - 1)

// WordAt returns at which byte of an encoded map a word is.
func WordAt(i int) int { return 8 * (1 + i) }

// Wanted returns what is added to the flags by an instruction that copies a box of so many dimensions.
func Wanted(dims int) uint64 { return uint64(dims) << dimsAt }

// Encode returns the bytes of a map of a tensor at an address.
func (m *Map) Encode(address uint64) (out [EncodedBytes]byte) {
	flags := uint64(mark)<<markAt | uint64(m.Dims)
	for elem := m.Elem; elem > 1; elem /= 2 {
		flags += 1 << elemAt
	}
	for s := m.Swizzle; s > granule; s /= 2 {
		flags += 1 << swizzleAt
	}
	for d := range m.Dims {
		flags |= (m.Box[d] - 1) << (boxAt + 8*d)
	}
	words := Words{flags, m.Sizes[0] | m.Sizes[1]<<32, m.Sizes[2] | m.Bytes()<<BoxBytes, m.Pitches[1]*m.Elem/granule | m.Pitches[2]*m.Elem/granule<<planeAt}
	binary.LittleEndian.PutUint64(out[AddressAt:], address)
	for i, w := range words {
		binary.LittleEndian.PutUint64(out[WordAt(i):], w)
	}
	return out
}

// Decode returns the map that words describe, and of how many dimensions an instruction copies a box; ok is false if they are of no map.
func (w *Words) Decode() (m Map, dims int, ok bool) {
	flags := w[0]
	if flags>>markAt != mark || flags&3 == 0 {
		return m, 0, false
	}
	m = New(int(flags&3), 1<<(flags>>elemAt&3))
	m.Sizes = [MaxDims]uint64{w[1] & (1<<32 - 1), w[1] >> 32, w[2] & (1<<32 - 1)}
	m.Pitches = [MaxDims]uint64{1, w[3] & (1<<planeAt - 1) * granule / m.Elem, w[3] >> planeAt * granule / m.Elem}
	for d := range m.Dims {
		m.Box[d] = flags>>(boxAt+8*d)&0xff + 1
	}
	if s := flags >> swizzleAt & 3; s > 0 {
		m.Swizzle = granule << s
	}
	return m, int(flags >> dimsAt & 3), true
}

// Extent returns how many bytes there are from the first element to the end of the last one.
func (m *Map) Extent() uint64 {
	last := uint64(0)
	for d := range m.Dims {
		last += (m.Sizes[d] - 1) * m.Pitches[d]
	}
	return (last + 1) * m.Elem
}
