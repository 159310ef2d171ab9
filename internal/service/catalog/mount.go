package catalog

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/modules"
)

// Mount adds the Go files of a directory as a package to the program's compiler, once, and returns its import path,
// for the compiler's Entries and Kernel.
func Mount(dir string) (importPath string, err error) {
	c, err := shared()
	if err != nil {
		return "", err
	}
	return c.mount(dir)
}

// MountFS adds the Go files in the root of a file system as the package with the given import path to the program's
// compiler. It is an error if the path belongs to another package.
func MountFS(importPath string, files fs.FS) error {
	c, err := shared()
	if err != nil {
		return err
	}
	if !fs.ValidPath(importPath) || importPath == "." {
		return fmt.Errorf("%q is not an import path; write one such as example.com/mine/kernels", importPath)
	}
	return c.mountPackages(gpu.Package{Path: importPath, Files: files})
}

// mountPackages adds packages to the compiler, each once.
func (c *Catalog) mountPackages(list ...gpu.Package) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range list {
		switch old := c.compiler.Files(p.Path); {
		case old == nil:
			c.compiler.MountFolder(below(p.Path, p.Files, ".", p.Path))
		case !reflect.DeepEqual(old, p.Files):
			return fmt.Errorf("there is another package %s", p.Path)
		}
	}
	return nil
}

// below returns the package in a folder of a file system whose root is the package top.
func below(top string, files fs.FS, folder, importPath string) compile.Folder {
	f := compile.Folder{Path: importPath, Files: files, ByPath: true}
	if folder != "." {
		f.Files, _ = fs.Sub(files, folder) // folder is valid: a file was found in it
	}
	f.Import = func(p string) (*compile.Folder, error) {
		folder, ok := strings.CutPrefix(p, top+"/")
		if !ok || !fs.ValidPath(folder) {
			return nil, nil
		}
		found, err := fs.Glob(files, folder+"/*.go")
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("package %q is not found: the file system of package %s has no Go files in folder %s", p, top, folder)
		}
		f := below(top, files, folder, p)
		return &f, nil
	}
	return f
}

var pathElement = regexp.MustCompile(`[^\w/-]+`)

// mount adds a directory as a package to the compiler, once, and returns its import path: the directory as written by
// the user, as far as it is valid as an import path. Positions name files as the user wrote the directory.
func (c *Catalog) mount(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", &fs.PathError{Op: "open", Path: dir, Err: fmt.Errorf("not a directory")}
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	at := pathElement.ReplaceAllString(strings.Trim(path.Clean("/"+filepath.ToSlash(dir)), "/"), "_")
	if at == "" || at[0] >= '0' && at[0] <= '9' || at[0] == '-' {
		at = "user/" + at
	}
	return c.compiler.MountFolder(compile.Folder{Path: at, Shown: printable.Line(filepath.ToSlash(dir)), Dir: full, Files: os.DirFS(full),
		Import: imports(full, filepath.IsAbs(dir))}), nil
}

// imports returns a function that finds the packages that device code in a directory imports, directly and indirectly.
// Messages show their directories relative to the working directory, unless absolute is set or a directory belongs to
// none of the modules that the user works on.
func imports(dir string, absolute bool) func(importPath string) (*compile.Folder, error) {
	build := sync.OnceValues(func() (*modules.Build, error) { return modules.For(dir) })
	var find func(importPath string) (*compile.Folder, error)
	find = func(importPath string) (*compile.Folder, error) {
		b, err := build()
		if err != nil {
			return nil, fmt.Errorf("package %q is not found: %w", importPath, err)
		}
		if strings.HasPrefix(importPath+"/", compile.Module+"/") && !b.Main(compile.Module) {
			return nil, nil // its device code is in the program
		}
		at, err := b.Dir(importPath)
		if at == "" || err != nil {
			return nil, err
		}
		shown := at
		if here, err := os.Getwd(); err == nil && !absolute {
			if rel, err := filepath.Rel(here, at); err == nil && b.Works(at) {
				shown = rel
			}
		}
		return &compile.Folder{Path: importPath, Shown: printable.Line(filepath.ToSlash(shown)), Dir: at, Files: os.DirFS(at), Import: find}, nil
	}
	return find
}
