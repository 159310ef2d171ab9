package cudabuild

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
)

// unused is how long a program stays that no test asks for.
const unused = 5 * 24 * time.Hour

// building keeps the number of compilers that run at the same time at that of small machines.
var building = make(chan bool, 2)

// Build builds a program as toolkit.Build does, unless it was built before. q.Output becomes a link to where it is kept. The error has what clang
// said; a program about which clang says something is an error, too, since its warning would be there once only.
func Build(ctx context.Context, q toolkit.Request) error {
	id, err := key(ctx, q)
	if err != nil {
		return err
	}
	dir, err := folder()
	if err != nil {
		return err
	}
	kept := filepath.Join(dir, id)
	if now := time.Now(); os.Chtimes(kept, now, now) != nil { // it is not there
		if err := build(ctx, q, kept); err != nil {
			return err
		}
	}
	return os.Symlink(kept, q.Output)
}

// build builds a program to where it is kept. Others may do so at the same time: only whole files have its name.
func build(ctx context.Context, q toolkit.Request, kept string) error {
	building <- true
	defer func() { <-building }()
	part, err := os.MkdirTemp(filepath.Dir(kept), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	var said bytes.Buffer
	q.Output, q.Stderr = filepath.Join(part, "program"), &said
	if err := toolkit.Build(ctx, q); err != nil {
		return fmt.Errorf("%w\n%s", err, said.String())
	}
	if said.Len() > 0 {
		return fmt.Errorf("%s: clang warns:\n%s", q.Files[0], said.String())
	}
	return os.Rename(q.Output, kept)
}

// key identifies a build by all that its result depends on: the request, the sources and what they include, clang, and the toolkit with its
// headers and the code that calls clang. The folder of the source is not in it: packages that name it differently share a program. The
// system's headers are not either, as cgo leaves them out.
func key(ctx context.Context, q toolkit.Request) (string, error) {
	c, err := toolkit.Find(ctx)
	if err != nil {
		return "", err
	}
	binary, err := os.Stat(c.Path)
	if err != nil {
		return "", err
	}
	code, err := toolkitFiles()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %d %s\n", code, c.Path, binary.Size(), binary.ModTime())
	fmt.Fprintf(h, "%q %q %q %q %q %q %v\n", q.Includes, q.Defines, q.Standard, q.Optimize, q.Arch, q.Flags, q.PTX)
	for _, file := range q.Files {
		if err := addIncluded(h, file); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// toolkitFiles identifies the sources of package toolkit.
var toolkitFiles = sync.OnceValues(func() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	top := filepath.Join(filepath.Dir(here), "..", "..", "service", "cuda", "toolkit")
	h := sha256.New()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
})

var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"]+)"`)

// addIncluded adds a source and the headers that it includes by a path from its own folder to a hash. Those of the toolkit are in toolkitFiles.
func addIncluded(h hash.Hash, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "%s %d\n%s", filepath.Base(path), len(text), text)
	for _, m := range include.FindAllSubmatch(text, -1) {
		if err := addIncluded(h, filepath.Join(filepath.Dir(path), string(m[1]))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// folder returns the folder in which programs are kept. The first call deletes those that no test has asked for in a while.
var folder = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "weft", "programs-of-tests")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, clean(dir, time.Now().Add(-unused))
})

// clean deletes what was last asked for before a time.
func clean(dir string, before time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.ModTime().Before(before) {
			err = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another test may have deleted it
			return err
		}
	}
	return nil
}
