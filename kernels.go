package weft

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// Package is a package of device code: Go source that a device's compiler reads.
// Files with the build line //go:build !kernel and tests are not part of it.
type Package struct {
	path string // as the compiler knows it
	name string // as errors name it
}

// Load loads the Go files of a directory, which is relative to the working
// directory. What they import is found as the go command finds it, by the go.mod of
// the directory and the module cache, but for the packages of Weft, which are those
// of the program. Nothing is compiled yet. Load it again to get the same package.
func Load(dir string) (*Package, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("weft.Load: there is no directory %q; write one with Go files, such as ./mykernels", dir)
	}
	at, err := catalog.Mount(dir)
	if err != nil {
		return nil, fmt.Errorf("weft.Load: %w", err)
	}
	return &Package{at, dir}, nil
}

// LoadFS loads the Go files in the root of a file system, such as an embed.FS, as
// the package of that import path. Folders in it are packages below the path, which
// the files may import. Device code that imports the path gets this package: one that
// is in another file system is loaded by a LoadFS of its own, before a kernel is
// compiled. Two packages of one path are an error.
func LoadFS(importPath string, files fs.FS) (*Package, error) {
	if err := catalog.MountFS(importPath, files); err != nil {
		return nil, fmt.Errorf("weft.LoadFS: %w", err)
	}
	return &Package{importPath, importPath}, nil
}

// Kernel compiles a kernel of the package: "Scale", or an instance of a generic
// one, "Reduce[float32]", whose type arguments are types of Go or of the package.
// bind gives values to parameters that are constants in the kernel, by name; nil
// for none. The result can be launched on any device, and is kept: to ask again
// costs nothing. An error in the source has a line "file:line:col: what" for each
// mistake; the file is below the directory as Load was given it.
func (p *Package) Kernel(ctx context.Context, name string, bind map[string]any) (*device.Kernel, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	if base := name[strings.LastIndex(name, ".")+1:]; base != name && !strings.Contains(name, "[") {
		return nil, fmt.Errorf("kernel %q of package %s: write its name alone: %q", name, p.name, base)
	}
	return c.Kernel(ctx, p.path+"."+name, bind)
}

// Kernels returns the names of the package's kernels, sorted: of its exported functions
// with a gpu.Thread first that are not generic, and of variables that name an
// instance (var Reduce32 = Reduce[float32]). The error is as of Kernel.
func (p *Package) Kernels() ([]string, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	names, err := c.Entries(p.path)
	for i, n := range names {
		names[i] = n[strings.LastIndex(n, ".")+1:]
	}
	return names, err
}

// PTX returns a kernel in NVIDIA's virtual instruction set, for target "sm_70" or
// later; "" is sm_70. It needs no GPU. It has no checks of bounds; hw.PTX has more
// options.
func PTX(k *device.Kernel, target string) (string, error) {
	text, err := hw.PTX(k, hw.PTXOptions{Target: target})
	if err != nil {
		return "", fmt.Errorf("weft.PTX: %w", err)
	}
	return text, nil
}
