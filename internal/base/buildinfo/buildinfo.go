package buildinfo

import (
	"runtime"
	"runtime/debug"
)

// module is Weft's.
const module = "github.com/weft-gpu/weft"

// Info is the version of Weft in a binary, as reports carry it.
type Info struct {
	Version  string   `json:"version"`            // of Weft; "(devel)" if it was built from a working tree
	Commit   string   `json:"commit,omitempty"`   // of Weft; empty if the binary was not built in a checkout of it
	Modified bool     `json:"modified,omitempty"` // the working tree had changes
	Program  *Program `json:"program,omitempty"`  // nil for the command weft
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
}

// Program is a program of another module that has Weft linked in.
type Program struct {
	Module   string `json:"module"`
	Version  string `json:"version"` // "(devel)" if it was built from a working tree
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
}

// This returns the binary that runs.
func This() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return of(info)
}

// of reads what the go command wrote into a binary.
func of(info *debug.BuildInfo) Info {
	b := Info{Version: devel, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	version, commit, modified := &b.Version, &b.Commit, &b.Modified
	if path := info.Main.Path; path != "" && path != module {
		p := &Program{Module: path, Version: devel}
		b.Program = p
		version, commit, modified = &p.Version, &p.Commit, &p.Modified
		for _, d := range info.Deps {
			if d.Path == module {
				b.Version = versionOf(d)
			}
		}
	}
	if info.Main.Version != "" {
		*version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			*commit = s.Value
		case "vcs.modified":
			*modified = s.Value == "true"
		}
	}
	return b
}

const devel = "(devel)"

// versionOf is the version of a module that was linked in.
func versionOf(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	if m.Version == "" { // a folder
		return devel
	}
	return m.Version
}
