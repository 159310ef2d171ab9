package amd

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"

	"github.com/sarchlab/mgpusim/v4/amd/insts"

	"github.com/weft-gpu/weft/experiments/second/llvm"
)

// descriptor is a kernel descriptor of a code object of version 3 or later, as LLVM's user guide of AMDGPU lays it out.
// MGPUSim's loader takes the three words of resources to be 4 bytes before where they are.
type descriptor struct {
	Group, Private, Kernarg uint32
	_                       [4]byte
	Entry                   int64
	_                       [20]byte
	Rsrc3, Rsrc1, Rsrc2     uint32
	Properties              uint16
	_                       [6]byte
}

// The bits of descriptor.Properties for registers that a kernel wants to be set when it begins.
const (
	wantsPrivateBuffer = 1 << iota
	wantsDispatchPtr
	wantsQueuePtr
	wantsKernarg
	wantsDispatchID
	wantsFlatScratch
	wantsPrivateSize
)

// object reads a kernel from a linked code object.
func object(data []byte) (*insts.KernelCodeObject, error) {
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	code, err := bytesOf(file, llvm.Entry)
	if err != nil {
		return nil, err
	}
	head, err := bytesOf(file, llvm.Entry+".kd")
	if err != nil {
		return nil, err
	}
	var d descriptor
	if err := binary.Read(bytes.NewReader(head), binary.LittleEndian, &d); err != nil {
		return nil, err
	}
	if d.Private > 0 || d.Properties&(wantsDispatchPtr|wantsQueuePtr|wantsDispatchID|wantsFlatScratch|wantsPrivateSize) != 0 {
		return nil, fmt.Errorf("the kernel takes %d bytes of scratch memory and wants %#x of the device", d.Private, d.Properties)
	}
	return &insts.KernelCodeObject{
		KernelCodeObjectMeta: &insts.KernelCodeObjectMeta{
			ComputePgmRsrc1: d.Rsrc1, ComputePgmRsrc2: d.Rsrc2, ComputePgmRsrc3: d.Rsrc3,
			KernargSegmentByteSize: kernargBytes, GroupSegmentByteSize: d.Group,
			EnableSgprPrivateSegmentBuffer: d.Properties&wantsPrivateBuffer != 0,
			EnableSgprKernargSegmentPtr:    d.Properties&wantsKernarg != 0,
			// Vector registers come by fours, scalar ones by eights.
			WIVgprCount: uint16(d.Rsrc1&63+1) * 4, WFSgprCount: uint16(d.Rsrc1>>6&15+1) * 8,
		},
		Data: code, Version: insts.CodeObjectV3, Symbol: &elf.Symbol{Name: llvm.Entry, Size: uint64(len(code))},
	}, nil
}

// bytesOf returns the bytes of a symbol.
func bytesOf(file *elf.File, name string) ([]byte, error) {
	symbols, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if s.Name != name || int(s.Section) >= len(file.Sections) {
			continue
		}
		section := file.Sections[s.Section]
		data, err := section.Data()
		if err != nil {
			return nil, err
		}
		return data[s.Value-section.Addr:][:s.Size], nil
	}
	return nil, fmt.Errorf("no symbol %s", name)
}
