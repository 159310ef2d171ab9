package catalog

import (
	"fmt"
	"io/fs"
	"reflect"
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.compiler.Files(importPath); old != nil {
		if reflect.DeepEqual(old, files) {
			return nil
		}
		return fmt.Errorf("there is another package %s", importPath)
	}
	c.compiler.Mount(importPath, files)
	return nil
}
