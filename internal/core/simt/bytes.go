package simt

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// BindBytes is Bind for a kernel that another executor runs as its text stands: it need not have been built here. The grid
// has the shape alone. bytes are those of the parameters, one after the other, as Offsets says.
func BindBytes(mem *Memory, launch device.Launch) (grid *Grid, bytes []byte, err error) {
	kernel := ir.Compiled(launch.Kernel)
	if kernel == nil || kernel.Source == nil {
		return nil, nil, &device.ArgError{Kernel: "?", What: "no kernel"}
	}
	fail := func(format string, args ...any) (*Grid, []byte, error) {
		return nil, nil, &device.ArgError{Kernel: kernel.Name, What: fmt.Sprintf(format, args...)}
	}
	if mem.Closed() {
		return nil, nil, fmt.Errorf("launch of %s: %w", kernel.Name, device.ErrClosed)
	}
	shape := launch.Shape()
	if why := misshapen(&shape, MaxThreads, MaxBlocks); why != "" {
		return fail("%s", why)
	}
	if why := unfit(kernel, &shape); why != "" {
		return fail("%s", why)
	}
	if why := unclustered(kernel, &launch, &shape); why != "" {
		return fail("%s", why)
	}
	if launch.DynamicShared < 0 {
		return fail("%d bytes of dynamic shared memory", launch.DynamicShared)
	}
	if launch.Regs < 0 {
		return fail("%d registers a thread", launch.Regs)
	}
	if len(launch.Args) != len(kernel.Params) {
		return fail("%d arguments where the kernel takes %d: %s", len(launch.Args), len(kernel.Params), signature(kernel.Params))
	}
	offsets, size := Offsets(kernel.Params)
	bytes = make([]byte, size)
	for i := range kernel.Params {
		p := &kernel.Params[i]
		one, err := rawBytes(mem, p, launch.Args[i])
		if err != nil {
			return fail("argument %d (%s %s): %s", i+1, p.Name, p.Type, err)
		}
		copy(bytes[offsets[i]:], one)
	}
	return &Grid{
		Kernel: kernel, Launch: launch, Mem: mem, Shape: shape, Blocks: shape.Blocks(), Threads: shape.Threads(),
		Warps: (shape.Threads() + Lanes - 1) / Lanes, Cluster: clusterBlocks(&launch),
	}, bytes, nil
}

// Offsets returns where the parameters of a kernel are among their bytes, and how many bytes they take.
func Offsets(params []ir.Param) (offsets []int, size int) {
	for i := range params {
		p := &params[i]
		size = (size + max(p.Align, 1) - 1) / max(p.Align, 1) * max(p.Align, 1)
		offsets = append(offsets, size)
		size += p.Bytes
	}
	return offsets, size
}
