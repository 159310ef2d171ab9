package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"

	"github.com/weft-gpu/weft/device"
)

// textureBytes is the size of a texture: the address of its texels, their number and their format, which toolkit/runtime/protocol.h and
// package readptx describe.
const textureBytes = 16

// toEnd is the size of a texture that has all of its allocation from its first texel on: UINT_MAX, the default of cudaBindTexture.
const toEnd = math.MaxUint32

// maxTexels is the largest number of texels of a linear texture, as on all GPUs of today (cudaDevAttrMaxTexture1DLinearWidth).
const maxTexels = 1 << 27

// doTexture binds a texture to memory, or, without an address, to none. Launches that wait still have the memory to which it was bound.
func (s *session) doTexture(q *request) *reply {
	variable, addr, size, format := q.A[0], q.A[1], q.A[2], uint32(q.A[3])
	if p := s.synchronized(nil); p.code != success || p.leave {
		return p
	}
	var data [textureBytes]byte
	if format != 0 {
		if size == toEnd {
			if r := s.memory.find(addr); r != nil {
				size = min(size, r.end()-addr)
			}
		}
		if _, _, err := s.memory.part(addr, size); err != nil {
			return s.complain(invalidValue, "a texture: %v", err)
		}
		bytes := uint64(1) << (format&3 + format>>2&3) // of a texel
		if addr%bytes != 0 || size/bytes > maxTexels {
			return s.complain(invalidValue, "a texture of %d texels of %d bytes at %#x; it has at most %d, at a multiple of their size", size/bytes, bytes, addr, maxTexels)
		}
		binary.LittleEndian.PutUint64(data[:], addr)
		binary.LittleEndian.PutUint32(data[8:], uint32(size/bytes))
		binary.LittleEndian.PutUint32(data[12:], format)
	}
	p := &reply{v: [4]uint64{variable}}
	if variable == 0 {
		s.allocated++
		b, err := s.gpu().Alloc(fmt.Sprintf("texture %d", s.allocated), device.U8, textureBytes)
		if err != nil {
			return s.complain(memoryAllocation, "%v", err)
		}
		if p = s.placed(&region{buffer: b, kind: kindGlobal, gpu: int(s.current)}); p.code != success {
			return p
		}
	}
	b, r, err := s.memory.part(p.v[0], textureBytes)
	if err == nil {
		err = s.gpus[r.gpu].Write(b, data[:])
	}
	if err != nil {
		return s.complain(invalidValue, "a texture: %v", err)
	}
	return p
}

var (
	textureVariable = regexp.MustCompile(`\.global\s+\.texref\s+([\w$]+)\s*;`)
	textureFetch    = regexp.MustCompile(`(?m)^\s*(?:@!?%?\w+\s+)?(tex\.[\w.]+)`)
)

// plainTextures returns a module for the driver of a real GPU, which knows nothing of weft's textures: kernels of weft's headers read them as
// memory, and memory is what the driver has to make of them. Code of nvcc has instructions that want textures of the driver's.
func plainTextures(module []byte) ([]byte, error) {
	if m := textureFetch.FindSubmatch(module); m != nil {
		return nil, fmt.Errorf("%s: textures of programs that nvcc has built are not supported on a real GPU; build the program by weft cuda build", m[1])
	}
	return textureVariable.ReplaceAll(module, []byte(".global .align 16 .b64 $1[2];")), nil
}
