package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/service/cuda/printing"
)

// module is code of the program.
type module struct {
	*readptx.Module
	functions map[string]uint64 // by name, the number in session.functions
	prints    bool              // its kernels call printf
}

// function is a kernel that the program has asked for.
type function struct {
	entry   *readptx.Entry
	kernel  *device.Kernel
	shared  int  // bytes of static shared memory
	dynamic int  // bytes of dynamic shared memory that a launch may have
	wide    bool // clusters may have more than 8 blocks
}

// load reads a module.
func (s *session) load(text []byte) (uint64, error) {
	ptx, err := ptxOf(text)
	if err != nil {
		return 0, err
	}
	prints := false
	if s.real(0) == nil {
		ptx, prints = printing.Added(ptx)
	} else if ptx, err = plainTextures(mapsInPlace(ptx)); err != nil { // its driver has a printf of its own
		return 0, err
	}
	m, err := readptx.Read(fmt.Sprintf("the program's code (module %d)", len(s.modules)+1), ptx)
	if err != nil {
		return 0, err
	}
	s.modules = append(s.modules, &module{Module: m, functions: map[string]uint64{}, prints: prints})
	return uint64(len(s.modules)), nil
}

// module returns a module by its number.
func (s *session) module(n uint64) (*module, error) {
	if n < 1 || n > uint64(len(s.modules)) {
		return nil, fmt.Errorf("there is no module %d", n)
	}
	return s.modules[n-1], nil
}

// function builds a kernel, and returns its number and the sizes of its parameters.
func (s *session) function(m *module, name string) (uint64, []byte, error) {
	n, ok := m.functions[name]
	if !ok {
		e, err := m.Entry(name)
		if err != nil {
			return 0, nil, err
		}
		f, err := s.built(m, e)
		if err != nil {
			return 0, nil, err
		}
		f.dynamic = max(usualShared-f.shared, 0)
		s.functions = append(s.functions, f)
		n = uint64(len(s.functions))
		m.functions[name] = n
	}
	var sizes []byte
	for _, p := range s.functions[n-1].entry.Params {
		sizes = binary.LittleEndian.AppendUint32(sizes, uint32(p.Size))
	}
	return n, sizes, nil
}

// built builds a kernel. A real GPU takes it as it stands, also with instructions that nothing else here has.
func (s *session) built(m *module, e *readptx.Entry) (*function, error) {
	if d := s.real(int(s.current)); d != nil {
		k, err := m.Declared(e.Name)
		if err != nil {
			return nil, err
		}
		f := &function{entry: e, kernel: k.ForHost()}
		info, err := d.Function(f.kernel)
		f.shared = info.Shared
		return f, err
	}
	k, err := m.Kernel(e.Name)
	if err != nil {
		return nil, err
	}
	f := &function{entry: e, kernel: k.ForHost()}
	f.shared = f.kernel.Shared
	return f, nil
}

// known returns the function of a number.
func (s *session) known(n uint64) (*function, error) {
	if n < 1 || n > uint64(len(s.functions)) {
		return nil, fmt.Errorf("there is no function %d", n)
	}
	return s.functions[n-1], nil
}

// arguments splits the bytes of a launch into parameters.
func (f *function) arguments(bytes []byte) ([]any, error) {
	var args []any
	for _, p := range f.entry.Params {
		if p.Size > len(bytes) {
			return nil, errors.New("too few bytes of arguments")
		}
		args = append(args, bytes[:p.Size:p.Size])
		bytes = bytes[p.Size:]
	}
	return args, nil
}
