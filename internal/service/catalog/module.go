package catalog

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// withModules is a compiler that takes the kernels of files of PTX as well: "prog.ptx:add", or "prog.ptx" if it has one
// kernel.
type withModules struct {
	Compiler
	mu      sync.Mutex
	modules map[string]*readptx.Module // by file
	files   map[string]bool            // sources of their kernels
	kernels map[*ir.Kernel]*device.Kernel
}

// IsModule reports whether the name of a kernel is that of one in a file of PTX.
func IsModule(name string) bool {
	_, _, ok := splitModule(name)
	return ok
}

// splitModule splits "prog.ptx:add".
func splitModule(name string) (file, kernel string, ok bool) {
	if strings.HasSuffix(name, ".ptx") {
		return name, "", true
	}
	if i := strings.LastIndex(name, ".ptx:"); i >= 0 {
		return name[:i+len(".ptx")], name[i+len(".ptx:"):], true
	}
	return "", "", false
}

// ModuleKernel returns an error if a file of PTX has no such kernel.
func ModuleKernel(c Compiler, name string) error {
	w, ok := c.(*withModules)
	if !ok {
		return fmt.Errorf("kernel %q: this compiler reads no PTX", name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _, err := w.kernel(name)
	return err
}

// kernel returns a kernel and its module.
func (w *withModules) kernel(name string) (*readptx.Module, *ir.Kernel, error) {
	file, kernel, _ := splitModule(name)
	m := w.modules[file]
	if m == nil {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		if m, err = readptx.Read(file, text); err != nil {
			return nil, nil, err
		}
		w.modules[file] = m
	}
	if kernel == "" {
		if len(m.Entries) != 1 {
			var names []string
			for _, e := range m.Entries {
				names = append(names, file+":"+e.Name)
			}
			if len(names) == 0 {
				return nil, nil, fmt.Errorf("%s has no kernel", file)
			}
			return nil, nil, fmt.Errorf("%s has %d kernels; write one of %s", file, len(names), strings.Join(names, ", "))
		}
		kernel = m.Entries[0].Name
	}
	k, err := m.Kernel(kernel)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range k.Func.Pos {
		w.files[p.File] = true
	}
	return m, k, nil
}

func (w *withModules) Kernel(ctx context.Context, name string, bind map[string]any) (*device.Kernel, error) {
	if !IsModule(name) {
		return w.Compiler.Kernel(ctx, name, bind)
	}
	if len(bind) > 0 {
		return nil, fmt.Errorf("%s: parameters of a kernel read from PTX cannot be constants", name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, k, err := w.kernel(name)
	if err != nil {
		return nil, err
	}
	if w.kernels[k] == nil {
		w.kernels[k] = k.ForHost()
	}
	return w.kernels[k], nil
}

// Signature returns a type of Go for a kernel of PTX: slices for addresses, numbers, and arrays of words for structures.
func (w *withModules) Signature(ctx context.Context, name string) (*types.Signature, error) {
	if !IsModule(name) {
		return w.Compiler.Signature(ctx, name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	m, k, err := w.kernel(name)
	if err != nil {
		return nil, err
	}
	vars := []*types.Var{types.NewParam(token.NoPos, nil, "t", types.Typ[types.Int])}
	for _, a := range m.Arguments(k) {
		var t types.Type
		switch {
		case a.Pointer:
			t = types.NewSlice(basic(a.Kind))
		case a.Kind == ir.Void && a.Align >= 4:
			t = types.NewArray(types.Typ[types.Uint32], int64(a.Size/4))
		case a.Kind == ir.Void:
			t = types.NewArray(types.Typ[types.Uint8], int64(a.Size))
		default:
			t = basic(a.Kind)
		}
		vars = append(vars, types.NewParam(token.NoPos, nil, a.Name, t))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(vars...), nil, false), nil
}

// basic returns the type of Go of a kind.
func basic(k ir.Kind) types.Type {
	return types.Typ[map[ir.Kind]types.BasicKind{
		ir.U8: types.Uint8, ir.S8: types.Int8, ir.U16: types.Uint16, ir.S16: types.Int16, ir.U32: types.Uint32, ir.S32: types.Int32,
		ir.U64: types.Uint64, ir.S64: types.Int64, ir.F32: types.Float32, ir.F64: types.Float64,
	}[k]]
}

func (w *withModules) Source(file string) ([]byte, error) {
	w.mu.Lock()
	ours := w.files[file]
	w.mu.Unlock()
	if ours {
		return os.ReadFile(file)
	}
	return w.Compiler.Source(file)
}

func (w *withModules) OnDisk(file string) string {
	w.mu.Lock()
	ours := w.files[file]
	w.mu.Unlock()
	if !ours {
		return w.Compiler.OnDisk(file)
	}
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	at, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	return at
}
