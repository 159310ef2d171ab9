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
	Shown string // prefix of its file names in positions; the import path if empty
	Dir   string // absolute path on disk, to make each directory a single package; "" if it is not on disk
	Files fs.FS
	// Import finds a package that a file of the folder imports. It is called
	// with the compiler locked. It returns nil if it does not know the path,
	// and an error if something is missing. A nil Import finds nothing.
	Import func(importPath string) (*Folder, error)
	// ByPath means that the package is found only by its whole import path;
	// other packages are also found by the last elements of theirs.
	ByPath bool
}

// MountFolder makes a folder a package, if it is not one yet, and returns its
// import path.
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
	if _, ok := c.mounts[path.Join(Module, f.Shown)]; ok && f.Dir != "" { // files of Weft are displayed like this
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

// taken reports whether a package already has the folder's import path, or one
// with which it could be confused: packages are also found by the last elements
// of their paths.
func (c *Compiler) taken(f Folder) bool {
	for p := range c.mounts {
		_, folder := c.folders[p]
		if p == f.Path || !f.ByPath && !folder && path.Base(p) == path.Base(f.Path) {
			return true
		}
	}
	return false
}

// named reports whether dir, as the user wrote it ("./dir"), names the folder.
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

// findImport mounts a package that another one imports, if it is not mounted
// yet, and reports whether it exists. The packages that come with Weft, and
// those that a program mounted by their import path, have priority over
// packages on disk.
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
