package toolkit

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/weft-gpu/weft/internal/base/usage"
)

// Environment is the variable that names the compiler.
const Environment = "WEFT_CLANG"

// oldest and newest are the versions of clang that are looked for by name.
const (
	oldest = 16
	newest = 22
	known  = 19 // what is tested, and what a message recommends
)

// Clang is a compiler.
type Clang struct {
	Path    string
	Version int
}

// Find returns the compiler: that of $WEFT_CLANG, or else the tested version, the newest other one, or clang++ itself.
func Find(ctx context.Context) (*Clang, error) {
	if path := os.Getenv(Environment); path != "" {
		c, err := clang(ctx, path)
		if err != nil {
			return nil, usage.Errorf("", "$%s: %v", Environment, err)
		}
		return c, nil
	}
	names := []string{fmt.Sprintf("clang++-%d", known)}
	for v := newest; v >= oldest; v-- {
		if v != known {
			names = append(names, fmt.Sprintf("clang++-%d", v))
		}
	}
	var old error
	for _, name := range append(names, "clang++") {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		c, err := clang(ctx, path)
		if err == nil {
			return c, nil
		}
		old = cmp.Or(old, err)
	}
	hint := fmt.Sprintf("install it: apt-get install clang-%d (or a newer clang, which brings clang++), or name it by $%s", known, Environment)
	if old != nil {
		return nil, usage.Errorf(hint, "%v", old)
	}
	return nil, usage.Errorf(hint, "CUDA programs are compiled by clang, and there is no clang++ of version %d or later here", oldest)
}

var versionLine = regexp.MustCompile(`clang version (\d+)\.`)

// asked has the compilers that said their version, by file: a clang takes a tenth of a second for that.
var asked sync.Map

// clang asks a compiler for its version, once as long as its file stays as it is.
func clang(ctx context.Context, path string) (*Clang, error) {
	type file struct {
		path string
		size int64
		at   time.Time
	}
	f := file{path: path}
	if info, err := os.Stat(path); err == nil {
		f.size, f.at = info.Size(), info.ModTime()
	}
	if c, ok := asked.Load(f); ok {
		return c.(*Clang), nil
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", path, err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("%s is no clang", path)
	}
	version, err := strconv.Atoi(string(m[1]))
	if err != nil || version < oldest {
		return nil, fmt.Errorf("%s is clang %s; CUDA programs need version %d or later", path, m[1], oldest)
	}
	c := &Clang{path, version}
	asked.Store(f, c)
	return c, nil
}
