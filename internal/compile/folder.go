package compile

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// Folder is a folder of Go files that is mounted as a package.
type Folder struct {
	Path  string // import path; "_" is appended if another package has it
	Shown string // what positions display in front of the names of its files; the import path if empty
	Dir   string // where it is on disk, absolute: one directory is one package; "" if it is not on disk
	Files fs.FS
	// Import finds a package that a file of the folder imports. It is called with
	// the compiler locked. It returns nil if it knows nothing of the path, and an
	// error that says what is missing. A nil Import finds nothing.
	Import func(importPath string) (*Folder, error)
	// ByPath says that the package is found by its whole import path alone; others
	// are also found by the end of it.
	ByPath bool
}

// MountFolder makes a folder a package, once, and returns its import path.
func (c *Compiler) MountFolder(f Folder) (importPath string) {
	c.lock()
	defer c.unlock()
	return c.mountFolder(f)
}

func (c *Compiler) mountFolder(f Folder) string {
	if at, ok := c.mountedAt(f.Dir); ok {
		return at
	}
	for c.taken(f) {
		f.Path += "_"
	}
	if _, ok := c.mounts[path.Join(Module, f.Shown)]; ok && f.Dir != "" { // files of Weft are displayed so
		f.Shown = filepath.ToSlash(f.Dir)
	}
	c.mounts[f.Path], c.folders[f.Path] = f.Files, f
	return f.Path
}

// mountedAt returns the package of a directory on disk.
func (c *Compiler) mountedAt(dir string) (importPath string, ok bool) {
	if dir == "" {
		return "", false
	}
	for at, f := range c.folders {
		if f.Dir == dir {
			return at, true
		}
	}
	return "", false
}

// taken reports an import path that a package has, or that a user's folder
// could be confused with: packages are also found by the end of their path.
func (c *Compiler) taken(f Folder) bool {
	for p := range c.mounts {
		_, folder := c.folders[p]
		if p == f.Path || !f.ByPath && !folder && path.Base(p) == path.Base(f.Path) {
			return true
		}
	}
	return false
}

// named reports whether the user's name of a directory ("./dir") is the folder's.
func (f Folder) named(dir string) bool {
	if f.Files == nil || !strings.HasPrefix(dir, ".") && !path.IsAbs(dir) {
		return false
	}
	if f.Shown != "" && path.Clean(dir) == path.Clean(f.Shown) {
		return true
	}
	full, err := filepath.Abs(filepath.FromSlash(dir))
	return err == nil && full == f.Dir
}

// findImport mounts what a package imports, if it is not yet, and reports whether it
// is there. The packages that come with Weft, and those that a program mounted by
// their import path, come before what is on disk.
func (c *Compiler) findImport(from, importPath string) (bool, error) {
	f := c.folders[from]
	if _, ok := c.mounts[importPath]; f.Import == nil || ok && c.folders[importPath].Dir == "" {
		return ok, nil
	}
	found, err := f.Import(importPath)
	if err != nil || found == nil {
		return false, err
	}
	found.ByPath = true
	c.found[[2]string{from, importPath}] = c.mountFolder(*found)
	return true, nil
}

// imported returns the package that findImport found.
func (c *Compiler) imported(from, importPath string) (at string, ok bool) {
	if at, ok := c.found[[2]string{from, importPath}]; ok {
		return at, true
	}
	_, ok = c.mounts[importPath]
	return importPath, ok
}

// shownFile returns the name of a file of a mounted package as positions
// display it.
func (c *Compiler) shownFile(importPath, name string) string {
	if f := c.folders[importPath]; f.Shown != "" {
		return path.Join(f.Shown, name)
	}
	return path.Join(c.display(importPath), name)
}

// OnDisk returns the absolute path of a file by its displayed name, "" if it is in no
// folder on disk that is mounted.
func (c *Compiler) OnDisk(file string) string {
	c.lock()
	defer c.unlock()
	for at, f := range c.folders {
		if f.Dir != "" && c.shownFile(at, path.Base(file)) == file {
			return filepath.Join(f.Dir, path.Base(file))
		}
	}
	return ""
}
