package cuda

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A program of nvcc carries its code in a container: a header, and then parts, each with a header of its own, that are PTX or
// code of one GPU, compressed or not. clang's programs carry the PTX as it stands.
const (
	containerMagic = 0xba55ed50
	partPTX        = 1
	partELF        = 2
	compressedLZ4  = 0x2000
	compressedZstd = 0x8000
)

// errNoPTX is the error of a program without PTX.
var errNoPTX = errors.New("the program carries code of a GPU (SASS) and no PTX; compile it with PTX in it, such as by nvcc -gencode arch=compute_80,code=compute_80")

// ptxOf returns the PTX that a program carries: of the newest architecture, if there are several.
func ptxOf(data []byte) ([]byte, error) {
	if len(data) < 16 || binary.LittleEndian.Uint32(data) != containerMagic {
		return bytes.TrimRight(data, "\x00"), nil
	}
	at, size := uint64(binary.LittleEndian.Uint16(data[6:])), binary.LittleEndian.Uint64(data[8:])
	end := at + size
	if at < 16 || end > uint64(len(data)) || end < at {
		return nil, errors.New("the container of the program's code is damaged")
	}
	var found []byte
	var best uint32
	for at < end {
		if end-at < 64 {
			return nil, errors.New("the container of the program's code is damaged")
		}
		h := data[at:end]
		kind, head, padded := binary.LittleEndian.Uint16(h), uint64(binary.LittleEndian.Uint32(h[4:])), binary.LittleEndian.Uint64(h[8:])
		packed, arch, flags, plain := uint64(binary.LittleEndian.Uint32(h[16:])), binary.LittleEndian.Uint32(h[28:]), binary.LittleEndian.Uint64(h[40:]), binary.LittleEndian.Uint64(h[56:])
		if head < 64 || head > uint64(len(h)) || padded > uint64(len(h))-head {
			return nil, errors.New("the container of the program's code is damaged")
		}
		if kind == partPTX && (found == nil || arch > best) {
			text := h[head : head+padded]
			if flags&(compressedLZ4|compressedZstd) != 0 {
				if packed > 0 && packed <= uint64(len(text)) {
					text = text[:packed]
				}
				var err error
				if text, err = unpack(text, flags, plain); err != nil {
					return nil, fmt.Errorf("the program's PTX: %w", err)
				}
			}
			found, best = bytes.TrimRight(text, "\x00"), arch
		}
		at += head + padded
	}
	if found == nil {
		return nil, errNoPTX
	}
	return found, nil
}

// maxPTX bounds what compressed PTX may become.
const maxPTX = 1 << 30

// unpack decompresses PTX of so many bytes.
func unpack(packed []byte, flags, size uint64) ([]byte, error) {
	if size > maxPTX {
		return nil, fmt.Errorf("%d bytes of PTX", size)
	}
	if flags&compressedZstd != 0 {
		r, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderMaxMemory(maxPTX))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	}
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(packed, out)
	if err != nil {
		return nil, err
	}
	return out[:n], nil
}
