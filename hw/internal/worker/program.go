//go:build cgo && linux

package worker

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"unsafe"

	"github.com/weft-gpu/weft/hw/internal/cuda"
)

// This file serves modules of PTX as they stand, with their kernels and variables, and programs that share memory with the
// GPU.

// module compiles PTX as it stands.
func (w *gpu) module(text string) (int, error) {
	m, err := w.ctx.Load(text)
	if err != nil {
		return 0, err
	}
	w.modules = append(w.modules, m)
	return len(w.modules) - 1, nil
}

// loadedModule returns a module by its number.
func (w *gpu) loadedModule(n int) (*cuda.Module, error) {
	if n < 0 || n >= len(w.modules) {
		return nil, fmt.Errorf("the hardware child knows no module %d", n)
	}
	return w.modules[n], nil
}

func (w *gpu) function(a FunctionArgs) (FuncInfo, error) {
	m, err := w.loadedModule(a.Module)
	if err != nil {
		return FuncInfo{}, err
	}
	return w.add(m, a.Entry, a.Offsets)
}

func (w *gpu) global(a GlobalArgs) (g Global, err error) {
	m, err := w.loadedModule(a.Module)
	if err != nil {
		return g, err
	}
	g.Addr, g.Bytes, err = m.Global(a.Name)
	return g, err
}

func (w *gpu) fill(a FillArgs) error {
	w.busy = true
	return w.ctx.Set(a.Addr, a.Value, a.Bytes)
}

// Memory that a program shares with the GPU lies at addresses that neither a program of Linux nor the driver is likely to
// use: from shareFirst on, shareStep apart, up to shareLast.
const (
	shareFirst = 20 << 40
	shareLast  = 84 << 40
	shareStep  = 4 << 30
)

// share maps a file of memory where the program can map it, too, and makes it memory of the GPU at the same address.
func (w *gpu) share(a ShareArgs) (uint64, error) {
	f, err := os.OpenFile(a.Path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if a.Bytes > shareStep {
		return 0, fmt.Errorf("%d bytes of memory that the program shares with the GPU; at most %d at a time", a.Bytes, shareStep)
	}
	for at := uint64(shareFirst); at < shareLast; at += shareStep {
		if slices.ContainsFunc(w.shares, func(m []byte) bool { return addressOf(m) == at }) {
			continue
		}
		mem, err := mapAt(at, a.Bytes, int(f.Fd()))
		if err != nil {
			return 0, err
		}
		if mem == nil { // something else is there
			continue
		}
		if err := w.ctx.Register(mem); err != nil {
			unshare(mem)
			return 0, err
		}
		seen, err := w.ctx.Mapped(mem)
		if err != nil || seen != at {
			err = fmt.Errorf("the driver gives memory of the host another address on the GPU (%#x for %#x, %w)", seen, at, err)
			_ = w.ctx.Unregister(mem)
			unshare(mem)
			return 0, err
		}
		w.shares = append(w.shares, mem)
		return at, nil
	}
	return 0, fmt.Errorf("no more addresses for memory that the program shares with the GPU")
}

func (w *gpu) unshare(at uint64) error {
	i := slices.IndexFunc(w.shares, func(m []byte) bool { return addressOf(m) == at })
	if i < 0 {
		return fmt.Errorf("the hardware child shares nothing at %#x", at)
	}
	mem := w.shares[i]
	w.shares = slices.Delete(w.shares, i, i+1)
	err := w.ctx.Unregister(mem)
	unshare(mem)
	return err
}

func addressOf(m []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m)))) }

// printed returns what kernels have printed since it was asked for last: the driver writes it to the standard output of this
// process when it waits for the kernels.
func (w *gpu) printed() (string, error) {
	if err := w.ctx.Synchronize(); err != nil || inProcess() {
		return "", err
	}
	flushOutput()
	if w.output == nil {
		return "", nil
	}
	size, err := w.output.Seek(0, 1)
	if err != nil || size == 0 {
		return "", err
	}
	text := make([]byte, size)
	if _, err := w.output.ReadAt(text, 0); err != nil {
		return "", err
	}
	if _, err := w.output.Seek(0, 0); err != nil {
		return "", err
	}
	return string(text), w.output.Truncate(0)
}

// capture makes the standard output of this process a file of its own, of which printed returns what is new.
func (s *server) capture() {
	if inProcess() {
		return
	}
	f, err := newOutput()
	if err != nil {
		return
	}
	if syscall.Dup3(int(f.Fd()), 1, 0) == nil {
		s.output = f
	}
}
