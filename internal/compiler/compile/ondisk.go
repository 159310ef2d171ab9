package compile

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/compiler/modules"
)

// OnDisk returns the absolute path of a source file by its displayed name. The files
// of Weft's own packages are those that the program was built from: in a checkout or
// in the module cache. It is "" for a file that is not there.
func (c *Compiler) OnDisk(file string) string {
	c.lock()
	defer c.unlock()
	for at := range c.mounts {
		if c.shownFile(at, path.Base(file)) != file {
			continue
		}
		if dir := c.dir(at); dir != "" {
			full := filepath.Join(dir, path.Base(file))
			if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() {
				return full
			}
		}
	}
	return ""
}

// dir returns the directory of a mounted package on disk; "" if that is not known.
func (c *Compiler) dir(at string) string {
	if f := c.folders[at]; f.Dir != "" {
		return f.Dir
	}
	if below, ok := strings.CutPrefix(at, Module+"/"); ok && ownDir() != "" {
		return filepath.Join(ownDir(), filepath.FromSlash(below))
	}
	if here, err := os.Getwd(); err == nil { // what a program embeds is often of the module that one works on
		if b, err := modules.For(here); err == nil {
			if dir, err := b.Dir(at); err == nil {
				return dir
			}
		}
	}
	return ""
}

// ownDir is where Weft's sources are: the compiler has noted where this file was. In
// a program that was built with -trimpath it noted the module's version instead.
var ownDir = sync.OnceValue(func() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return ""
	}
	const here = "/internal/compiler/compile/ondisk.go"
	root, ok := strings.CutSuffix(filepath.ToSlash(file), here)
	if ok && filepath.IsAbs(filepath.FromSlash(root)) {
		return filepath.FromSlash(root)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == Module && dep.Replace == nil {
				return modules.Own(dep.Path, dep.Version)
			}
		}
	}
	return ""
})
