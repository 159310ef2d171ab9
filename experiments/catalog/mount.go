package catalog

import (
	"fmt"
	"io/fs"
	"reflect"

	"github.com/weft-gpu/weft/gpu"
)

// Mount makes the Go files of a directory a package of the program's compiler,
// once, and returns its import path, as Entries and Kernel of the compiler take it.
func Mount(dir string) (importPath string, err error) {
	c, err := shared()
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mount(dir)
}

// MountFS makes the Go files in the root of a file system the package of that
// import path for the program's compiler. Another package of the path is an error.
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

// mountPackages makes packages known to the compiler, each once.
func (c *Catalog) mountPackages(list ...gpu.Package) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range list {
		switch old := c.compiler.Files(p.Path); {
		case old == nil:
			c.compiler.Mount(p.Path, p.Files)
		case !reflect.DeepEqual(old, p.Files):
			return fmt.Errorf("there is another package %s", p.Path)
		}
	}
	return nil
}
