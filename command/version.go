package command

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what the binary knows about itself.
type build struct {
	Version  string `json:"version"`            // of the module; "(devel)" when built from a working tree
	Commit   string `json:"commit,omitempty"`   // empty when not built in a checkout
	Modified bool   `json:"modified,omitempty"` // the working tree had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Version, commit and Go of this binary",
		Example: "  weft version\n  weft version --json",
		Args:    between("argument", 0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if asJSON {
				return a.printJSON(b)
			}
			fmt.Fprintf(a.stdout, "weft %s\n", b.Version)
			if b.Commit != "" {
				changed := ""
				if b.Modified {
					changed = " with changes"
				}
				fmt.Fprintf(a.stdout, "commit %s%s\n", b.Commit, changed)
			}
			fmt.Fprintf(a.stdout, "%s %s\n", b.Go, b.Platform)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
