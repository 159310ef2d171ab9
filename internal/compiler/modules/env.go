package modules

import (
	"os"
	"path/filepath"
	"strings"
)

// env returns a setting of the go command, from the environment or from the
// file that "go env -w" writes.
func env(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	file := os.Getenv("GOENV")
	if file == "off" {
		return ""
	}
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(dir, "go", "env")
	}
	text, err := readFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && key == name {
			return value
		}
	}
	return ""
}

// moduleCache returns the directory of the module cache.
func moduleCache() string {
	if dir := env("GOMODCACHE"); dir != "" {
		return dir
	}
	if list := filepath.SplitList(env("GOPATH")); len(list) > 0 && list[0] != "" {
		return filepath.Join(list[0], "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// modFlag returns the value of -mod in GOFLAGS; "" if there is none.
func modFlag() (mode string) {
	for _, f := range strings.Fields(env("GOFLAGS")) {
		if v, ok := strings.CutPrefix(strings.TrimLeft(f, "-"), "mod="); ok {
			mode = v
		}
	}
	return mode
}

// workFile returns the go.work that applies to a directory; "" if there is
// none.
func workFile(dir string) string {
	switch v := env("GOWORK"); v {
	case "off":
		return ""
	case "":
		if at := above(dir, "go.work"); at != "" {
			return filepath.Join(at, "go.work")
		}
		return ""
	default:
		return v
	}
}

// Own returns the directory of a module of the module cache, "" if it is not there.
func Own(path, version string) string {
	for _, s := range others(map[string]string{path: version}, nil) {
		if isDir(s.dir) {
			return s.dir
		}
	}
	return ""
}
