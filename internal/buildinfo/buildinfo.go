// Package buildinfo returns the version information of this binary.
package buildinfo

import (
	"runtime"
	"runtime/debug"
)

// Info is the version of a binary, as reports contain it.
type Info struct {
	Version  string `json:"version"`            // of the main module; "(devel)" when built from a working tree
	Commit   string `json:"commit,omitempty"`   // empty if not built in a checkout
	Modified bool   `json:"modified,omitempty"` // the working tree had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// This returns the Info of the running binary.
func This() Info {
	b := Info{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
