package cuda

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// part is a part of a container, as nvcc writes it.
func part(kind uint16, arch uint32, flags uint64, packed []byte, size int) []byte {
	h := make([]byte, 64)
	for len(packed)%8 != 0 {
		packed = append(packed, 0)
	}
	binary.LittleEndian.PutUint16(h, kind)
	binary.LittleEndian.PutUint32(h[4:], 64)
	binary.LittleEndian.PutUint64(h[8:], uint64(len(packed)))
	binary.LittleEndian.PutUint32(h[28:], arch)
	binary.LittleEndian.PutUint64(h[40:], flags)
	binary.LittleEndian.PutUint64(h[56:], uint64(size))
	return append(h, packed...)
}

func container(parts ...[]byte) []byte {
	body := []byte{}
	for _, p := range parts {
		body = append(body, p...)
	}
	h := binary.LittleEndian.AppendUint32(nil, containerMagic)
	h = binary.LittleEndian.AppendUint16(h, 1)
	h = binary.LittleEndian.AppendUint16(h, 16)
	return append(binary.LittleEndian.AppendUint64(h, uint64(len(body))), body...)
}

func TestPTXOf(t *testing.T) {
	plain := ".version 7.0\n" + strings.Repeat("// the same line again\n", 20)
	old := "// for an older GPU\n"
	squeezed := make([]byte, lz4.CompressBlockBound(len(plain)))
	n, err := lz4.CompressBlock([]byte(plain), squeezed, nil)
	require.NoError(t, err)
	writer, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"text":          []byte(plain + "\x00"),
		"plain":         container(part(partELF, 90, 0, []byte("\x7fELF"), 0), part(partPTX, 90, 0, []byte(plain+"\x00"), 0)),
		"lz4":           container(part(partPTX, 90, compressedLZ4, squeezed[:n], len(plain))),
		"zstd":          container(part(partPTX, 90, compressedZstd, writer.EncodeAll([]byte(plain), nil), len(plain))),
		"newest of two": container(part(partPTX, 90, 0, []byte(plain), 0), part(partPTX, 50, 0, []byte(old), 0)),
	} {
		if name == "lz4" || name == "zstd" { // the size in the header counts, and not the padding
			h := data[16:]
			size := uint32(n)
			if name == "zstd" {
				size = uint32(len(writer.EncodeAll([]byte(plain), nil)))
			}
			binary.LittleEndian.PutUint32(h[16:], size)
		}
		got, err := ptxOf(data)
		assert.NoError(t, err, name)
		assert.Equal(t, plain, string(got), name)
	}
	for want, data := range map[string][]byte{
		"the program carries code of a GPU (SASS) and no PTX; compile it with PTX in it, such as by nvcc -gencode arch=compute_80,code=compute_80": container(part(partELF, 90, 0, []byte("\x7fELF"), 0)),
		"the container of the program's code is damaged":      container(part(partPTX, 90, 0, []byte(plain), 0))[:300],
		"the program's PTX: 9223372036854775808 bytes of PTX": container(part(partPTX, 90, compressedLZ4, squeezed[:n], -1<<63)),
	} {
		_, err := ptxOf(data)
		assert.EqualError(t, err, want)
	}
	_, err = ptxOf(container(part(partPTX, 90, compressedLZ4, []byte("\xff\xff\xff\xff"), 100)))
	assert.ErrorContains(t, err, "the program's PTX: lz4: ")
}

func FuzzPTXOf(f *testing.F) {
	f.Add(container(part(partPTX, 90, 0, []byte("x"), 0)))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ptxOf(data) })
}
