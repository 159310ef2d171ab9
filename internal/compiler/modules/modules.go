package modules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/weft-gpu/weft/internal/base/infile"
)

// Build says where the packages come from that the code in a directory imports.
type Build struct {
	from     string   // the directory
	root     string   // directory of the main module's go.mod; "" if there is none
	main     []source // the main module, and those of go.work
	others   []source // modules that are required or replaced
	vendored string   // the folder vendor, if packages come from there
}

// source is a module and where its files are.
type source struct {
	path    string
	version string // "" for a directory
	dir     string
	why     string // where dir comes from: "go.mod replaces ..."; "" for the module cache
}

// For reads the files that determine where the imports of a directory come
// from: the nearest go.mod in the directory or above it, and a go.work that
// lists that module. If one of these files is malformed, the error has file and
// line.
func For(dir string) (*Build, error) {
	b := &Build{from: dir}
	if b.root = above(dir, "go.mod"); b.root == "" {
		return b, nil
	}
	mod, err := readMod(b.root)
	if err != nil {
		return nil, err
	}
	mods, replaces, top := []modFile{mod}, []replacement(nil), b.root
	if work := workFile(b.root); work != "" {
		more, r, err := readWork(work, b.root)
		if err != nil {
			return nil, err
		}
		if more != nil {
			mods, replaces, top = more, r, filepath.Dir(work)
		}
	}
	versions := map[string]string{}
	for _, m := range mods {
		b.main = append(b.main, source{path: m.file.Module.Mod.Path, dir: m.dir})
		for _, r := range m.file.Require {
			if v, ok := versions[r.Mod.Path]; !ok || semver.Compare(r.Mod.Version, v) > 0 {
				versions[r.Mod.Path] = r.Mod.Version
			}
		}
		for _, r := range m.file.Replace {
			replaces = append(replaces, replacement{r, m.dir, "go.mod"})
		}
	}
	b.others = others(versions, replaces)
	if isFile(filepath.Join(top, "vendor", "modules.txt")) {
		if mode := modFlag(); mode == "" || mode == "vendor" {
			b.vendored = filepath.Join(top, "vendor")
		}
	}
	return b, nil
}

// others returns the modules of a build except the main ones.
func others(versions map[string]string, replaces []replacement) (list []source) {
	cache := moduleCache()
	in := func(path, version string) string {
		p, err := module.EscapePath(path)
		if err != nil {
			return ""
		}
		v, err := module.EscapeVersion(version)
		if err != nil {
			return ""
		}
		return filepath.Join(cache, filepath.FromSlash(p)+"@"+v)
	}
	for _, r := range replaces { // includes modules that nothing requires yet
		if _, ok := versions[r.Old.Path]; !ok {
			versions[r.Old.Path] = r.Old.Version
		}
	}
	for path, version := range versions {
		s := source{path: path, version: version, dir: in(path, version)}
		i := slices.IndexFunc(replaces, func(r replacement) bool {
			return r.Old.Path == path && (r.Old.Version == "" || r.Old.Version == version)
		})
		if i >= 0 {
			switch r := replaces[i]; {
			case r.New.Version != "":
				s.version, s.dir = r.New.Version, in(r.New.Path, r.New.Version)
			case filepath.IsAbs(r.New.Path):
				s = source{path, "", r.New.Path, r.in + " replaces it by"}
			default:
				s = source{path, "", filepath.Join(r.dir, filepath.FromSlash(r.New.Path)), r.in + " replaces it by"}
			}
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b source) int {
		return cmp.Or(cmp.Compare(len(b.path), len(a.path)), strings.Compare(a.path, b.path))
	})
	return list
}

// Main reports whether the user works on the source of the module with this
// path: it is the main module, or one of go.work.
func (b *Build) Main(path string) bool {
	return slices.ContainsFunc(b.main, func(s source) bool { return s.path == path })
}

// Works reports whether a directory is in a module that the user works on.
func (b *Build) Works(dir string) bool {
	return slices.ContainsFunc(b.main, func(s source) bool {
		rel, err := filepath.Rel(s.dir, dir)
		return err == nil && filepath.IsLocal(rel)
	})
}

// Dir returns the directory of a package, or "" for a package that looks like
// one of Go's standard library. The error says what is missing, and how to get
// it.
func (b *Build) Dir(importPath string) (string, error) {
	first, _, _ := strings.Cut(importPath, "/")
	library := !strings.Contains(first, ".")
	if b.root == "" {
		if library {
			return "", nil
		}
		return "", fmt.Errorf("package %q is not found, for there is no go.mod in %s or above it; \"go mod init\" makes one, "+
			"and packages of a module import each other by its path", importPath, b.from)
	}
	for _, s := range b.main {
		if dir, ok := s.holds(importPath); ok {
			return dir, nil
		}
	}
	for _, s := range b.main {
		if within(importPath, s.path) && !slices.ContainsFunc(b.others, func(o source) bool { return within(importPath, o.path) && len(o.path) > len(s.path) }) {
			return "", fmt.Errorf("package %q is not found: module %s in %s has no Go files in folder %s", importPath, s.path, s.dir, filepath.ToSlash(s.below(importPath)))
		}
	}
	if b.vendored != "" {
		if dir := filepath.Join(b.vendored, filepath.FromSlash(importPath)); hasGo(dir) {
			return dir, nil
		}
		if library {
			return "", nil
		}
		return "", fmt.Errorf("package %q is not in %s; run \"go mod vendor\", or set GOFLAGS=-mod=mod", importPath, b.vendored)
	}
	return b.elsewhere(importPath, library)
}

// elsewhere is Dir for packages of other modules. It uses the module with the
// longest path that contains the package.
func (b *Build) elsewhere(importPath string, library bool) (string, error) {
	var missing error
	for _, s := range b.others {
		if !within(importPath, s.path) {
			continue
		}
		dir, ok := s.holds(importPath)
		switch {
		case ok:
			return dir, nil
		case missing != nil:
		case isDir(s.dir):
			missing = fmt.Errorf("package %q is not found: module %s in %s has no Go files in folder %s", importPath, s.path, s.dir, filepath.ToSlash(s.below(importPath)))
		case s.why != "":
			missing = fmt.Errorf("package %q is not found: %s %s, which is no directory", importPath, s.why, s.dir)
		default:
			missing = fmt.Errorf("package %q is not found: module %s %s is not in the module cache; run \"go mod download %s\" in %s", importPath, s.path, s.version, s.path, b.root)
		}
	}
	if missing == nil && !library {
		missing = fmt.Errorf("package %q is in no module that %s requires; run \"go get %s\" in %s", importPath, filepath.Join(b.root, "go.mod"), importPath, b.root)
	}
	return "", missing
}

// holds returns the directory of a package if the module has one with Go files.
func (s source) holds(importPath string) (dir string, ok bool) {
	if s.dir == "" || !within(importPath, s.path) {
		return "", false
	}
	below := s.below(importPath)
	dir = filepath.Join(s.dir, below)
	if !hasGo(dir) {
		return "", false
	}
	for at := below; at != "."; at = filepath.Dir(at) {
		if isFile(filepath.Join(s.dir, at, "go.mod")) {
			return "", false // a nested module
		}
	}
	return dir, true
}

// below returns the folder of a package in its module.
func (s source) below(importPath string) string {
	return filepath.FromSlash(cmp.Or(strings.TrimPrefix(strings.TrimPrefix(importPath, s.path), "/"), "."))
}

// within reports whether path is tree or below it.
func within(path, tree string) bool { return path == tree || strings.HasPrefix(path, tree+"/") }

// above returns the nearest directory, from dir upwards, that has a file with
// this name; "" if there is none.
func above(dir, name string) string {
	for {
		if isFile(filepath.Join(dir, name)) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// hasGo reports whether dir is a directory with Go files.
func hasGo(dir string) bool {
	files, err := fs.Glob(os.DirFS(dir), "*.go")
	return err == nil && len(files) > 0
}

// modFile is the content of a go.mod.
type modFile struct {
	dir  string
	file *modfile.File
}

// replacement is a replace directive.
type replacement struct {
	*modfile.Replace
	dir string // directory to which relative paths refer
	in  string // "go.mod" or "go.work"
}

// readMod reads the go.mod of a directory.
func readMod(dir string) (modFile, error) {
	name := filepath.Join(dir, "go.mod")
	text, err := readFile(name)
	if err != nil {
		return modFile{}, err
	}
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return modFile{}, err
	}
	if f.Module == nil {
		return modFile{}, fmt.Errorf("%s:1: it has no module directive; write module and a path", name)
	}
	return modFile{dir, f}, nil
}

// readWork reads the modules and replacements of a go.work; it returns none if
// the module in root is not among them.
func readWork(name, root string) (mods []modFile, replaces []replacement, err error) {
	text, err := readFile(name)
	if err != nil {
		return nil, nil, err
	}
	f, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return nil, nil, err
	}
	used := false
	for _, u := range f.Use {
		dir := filepath.FromSlash(u.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(name), dir)
		}
		m, err := readMod(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s:%d: there is no go.mod in %s", name, u.Syntax.Start.Line, dir)
		}
		if err != nil {
			return nil, nil, err
		}
		used = used || dir == root
		mods = append(mods, m)
	}
	if !used {
		return nil, nil, nil
	}
	for _, r := range f.Replace {
		replaces = append(replaces, replacement{r, filepath.Dir(name), "go.work"})
	}
	return mods, replaces, nil
}

// mostBytes is the maximum size of a go.mod, a go.work, or the file of "go env -w".
const mostBytes = 4 << 20

// readFile reads one of these files, which may be something else, such as a pipe.
func readFile(name string) ([]byte, error) {
	text, err := infile.ReadAll(context.Background(), name, mostBytes)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return text, nil
}
