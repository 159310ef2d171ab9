package hw

import (
	"context"
	"encoding/binary"

	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// A kernel that copies boxes of tensors has tensor maps as parameters, behind its leaves (ptx.TensorMapBytes). The driver encodes them.

// tensorNumbers are the types of numbers of tensor maps.
var tensorNumbers = map[ir.Kind]worker.TensorNumber{
	ir.U32: worker.TensorU32, ir.S32: worker.TensorS32, ir.U64: worker.TensorU64, ir.S64: worker.TensorS64, ir.F32: worker.TensorF32, ir.F64: worker.TensorF64,
}

// tensorOffsets returns where the parameters of a kernel begin among their bytes: words for its leaves, then its tensor maps. It returns nil
// if the kernel has none of these, and takes words alone.
func tensorOffsets(p *ir.Program, leaves int) (offsets []int) {
	tensors := len(p.Tensors)
	if tensors == 0 {
		return nil
	}
	for i := range leaves {
		offsets = append(offsets, 8*i)
	}
	for i := range tensors {
		offsets = append(offsets, 8*leaves+ptx.TensorMapBytes*i)
	}
	return offsets
}

// encode encodes the tensor maps of a launch, each once.
func (d *Device) encode(ctx context.Context, g *simt.Grid) error {
	d.encoded = d.encoded[:0]
	for i := range g.Tensors {
		t := &g.Tensors[i]
		leaf := g.Prog.Roots[t.Root].Leaf
		args := worker.TensorMapArgs{Map: t.Map, Address: d.onGPU(g.Leaves[leaf]), Number: tensorNumbers[g.Prog.Leaves[leaf].Elem]}
		m, ok := d.tensorMaps[args]
		if !ok {
			if err := d.ask(ctx, "tensor map of "+g.Prog.Leaves[leaf].Name, worker.OpTensorMap, args, &m); err != nil {
				return err
			}
			d.tensorMaps[args] = m
		}
		d.encoded = append(d.encoded, m)
	}
	return nil
}

// withTensors writes the bytes of the parameters of a launch with tensor maps to where the child finds them: the words are in p. It returns how many
// there are.
func (d *Device) withTensors(call *worker.LaunchCall, p []uint64) int {
	to, n := call.Inline(), 8*len(p)
	if all := n + ptx.TensorMapBytes*len(d.encoded); all > len(to) {
		to = d.child.Bytes()
	}
	for i, word := range p {
		binary.NativeEndian.PutUint64(to[8*i:], word)
	}
	for _, m := range d.encoded {
		for _, word := range m {
			binary.NativeEndian.PutUint64(to[n:], word)
			n += 8
		}
	}
	return n
}

// TensorMap describes a tensor at an address of the GPU as a CUDA program does: sizes, pitches and boxes in elements, of up to three dimensions.
type TensorMap struct {
	Type                  int // of elements: a CUtensorMapDataType
	Elem                  int // their bytes
	Address               uint64
	Dims                  int
	Sizes, Pitches, Boxes [tensormap.MaxDims]uint64
	Swizzle               int
}

// EncodeTensorMap lets the driver encode a tensor map, as CUDA programs ask for it.
func (d *Device) EncodeTensorMap(t TensorMap) (out [ptx.TensorMapBytes / 8]uint64, err error) {
	defer d.calls.Begin().End()
	m := tensormap.Map{Dims: t.Dims, Elem: uint64(t.Elem), Sizes: t.Sizes, Pitches: t.Pitches, Box: t.Boxes, Swizzle: uint64(t.Swizzle)}
	var words worker.TensorMap
	err = d.ask(context.Background(), "a tensor map", worker.OpTensorMap, worker.TensorMapArgs{Map: m, Address: t.Address, Number: worker.TensorNumber(t.Type)}, &words)
	return words, err
}
