package difftest

import (
	"context"
	"fmt"
	"reflect"
	"testing/fstest"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// corpusPath is the import path of package corpus.
const corpusPath = compile.Module + "/internal/testing/difftest/corpus"

// Corpus returns a compiler of the generated kernels. Entry points are named by
// "K" and the seed.
func Corpus(optimize bool) (*compile.Compiler, error) {
	c := compile.New()
	c.NoOptimize = !optimize
	c.Mount(corpusPath, corpus.Sources)
	return c, nil
}

// Fresh returns a compiler of newly generated kernels in place of those
// of the corpus.
func Fresh(optimize bool, kernels ...generate.Kernel) (*compile.Compiler, error) {
	c, err := Corpus(optimize)
	if err != nil {
		return nil, err
	}
	tree := fstest.MapFS{}
	for _, name := range []string{"common.go", "library.go", "net.go"} {
		text, err := corpus.Sources.ReadFile(name)
		if err != nil {
			return nil, err
		}
		tree[name] = &fstest.MapFile{Data: text}
	}
	files, err := generate.Package(kernels)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		tree[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	c.Mount(corpusPath, tree)
	return c, nil
}

// acc, in and net are corpus.Acc, corpus.In and corpus.Net in the form that a
// device takes.
type (
	acc struct{ U, S, Q, L, F device.Buffer }
	in  struct{ U, S, Q, L, F, D, H, B, T, P device.Buffer }
	net struct{ Flag, Cell, Blank device.Buffer }
)

// copies copies data to a device and back.
type copies struct {
	// on returns the device of a buffer.
	on   func(name string) device.Device
	err  error
	back []func() error
}

// put allocates a buffer and copies a slice to it. If the kernel writes it, it
// is copied back after the launch.
func put[T any](c *copies, name string, elem device.Kind, s []T, written bool) device.Buffer {
	if c.err != nil {
		return device.Buffer{}
	}
	n := len(s)
	if elem == device.U8 {
		n *= int(reflect.TypeFor[T]().Size())
	}
	var b device.Buffer
	dev := c.on(name)
	if b, c.err = dev.Alloc(name, elem, n); c.err != nil {
		return b
	}
	c.err = dev.Write(b, s)
	c.back = append(c.back, func() error {
		if written {
			if err := dev.Read(b, s); err != nil {
				return err
			}
		}
		return dev.Free(b)
	})
	return b
}

// blank allocates a buffer that is not written before the launch.
func (c *copies) blank(name string, n int) (b device.Buffer) {
	if c.err != nil {
		return b
	}
	dev := c.on(name)
	b, c.err = dev.Alloc(name, device.U64, n)
	c.back = append(c.back, func() error { return dev.Free(b) })
	return b
}

// On runs a launch, given without arguments, on a device with the data as
// arguments. It frees all buffers, also after an error.
func On(dev device.Device, l device.Launch, d *Data) (err error) {
	c := &copies{on: func(string) device.Device { return dev }}
	defer c.end(l.Kernel, &err)
	if l.Args, err = c.args(d); err != nil {
		return err
	}
	_, err = dev.Launch(context.Background(), l)
	return err
}

// OnGroup runs commands with launches, given without arguments, on a group of
// GPUs with data as the arguments of each. The function on says on which GPU a
// buffer of a launch is. It frees all buffers, also after an error.
func OnGroup(g device.Group, cmds []device.Command, data []*Data, on func(cmd int, name string) int) (times []device.Timing, err error) {
	for i := range cmds {
		c := &copies{on: func(name string) device.Device { return g.GPU(on(i, name)) }}
		defer c.end(cmds[i].Launch.Kernel, &err)
		if cmds[i].Launch.Args, err = c.args(data[i]); err != nil {
			return nil, err
		}
	}
	return g.Run(context.Background(), cmds)
}

// end copies data back and frees the buffers. It keeps an error of before.
func (c *copies) end(k *device.Kernel, err *error) {
	for _, f := range c.back {
		if e := f(); e != nil && *err == nil {
			*err = fmt.Errorf("%s: %w", k.Name, e)
		}
	}
}

// args returns the arguments of a kernel of the corpus.
func (c *copies) args(d *Data) ([]any, error) {
	i := in{
		U: put(c, "in.U", device.U32, d.In.U, false), S: put(c, "in.S", device.S32, d.In.S, false), Q: put(c, "in.Q", device.U64, d.In.Q, false),
		L: put(c, "in.L", device.S64, d.In.L, false), F: put(c, "in.F", device.F32, d.In.F, false), D: put(c, "in.D", device.F64, d.In.D, false),
		H: put(c, "in.H", device.S16, d.In.H, false), B: put(c, "in.B", device.U8, d.In.B, false), T: put(c, "in.T", device.Bool, d.In.T, false),
		P: put(c, "in.P", device.U8, d.In.P, false),
	}
	own := put(c, "own", device.U64, d.Own, true)
	out := put(c, "out", device.U64, d.Out, true)
	rec := put(c, "rec", device.U8, d.Rec, true)
	a := acc{
		U: put(c, "acc.U", device.U32, d.Acc.U, true), S: put(c, "acc.S", device.S32, d.Acc.S, true), Q: put(c, "acc.Q", device.U64, d.Acc.Q, true),
		L: put(c, "acc.L", device.S64, d.Acc.L, true), F: put(c, "acc.F", device.F32, d.Acc.F, true),
	}
	n := net{Flag: put(c, "net.Flag", device.U32, d.Net.Flag, true), Cell: put(c, "net.Cell", device.U64, d.Net.Cell, true), Blank: c.blank("net.Blank", len(d.Net.Blank))}
	return []any{i, d.Par, own, out, rec, a, n}, c.err
}

// ReadOnlyBuild is a device that runs the read-only build of every kernel: the
// program that a GPU runs if no buffer that a launch may write overlaps one
// that it only reads. The launches must satisfy that condition.
type ReadOnlyBuild struct {
	device.Device
	built map[*device.Kernel]*device.Kernel
	Other int // number of kernels whose program differs
}

// NewReadOnlyBuild returns a ReadOnlyBuild on top of dev.
func NewReadOnlyBuild(dev device.Device) *ReadOnlyBuild {
	return &ReadOnlyBuild{Device: dev, built: map[*device.Kernel]*device.Kernel{}}
}

// Launch runs the read-only build of a kernel.
func (d *ReadOnlyBuild) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	k := d.built[l.Kernel]
	if k == nil {
		other := *ir.Compiled(l.Kernel)
		old := other.Program
		if other.Program = opt.ReadOnlyProgram(&other); other.Program != old {
			d.Other++
		}
		k = other.ForHost()
		d.built[l.Kernel] = k
	}
	l.Kernel = k
	return d.Device.Launch(ctx, l)
}
