package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/option"
)

// commit prints the commit of the build if it is known.
func (a *app) commit(commit string, modified bool) {
	if commit == "" {
		return
	}
	changed := ""
	if modified {
		changed = " with changes"
	}
	fmt.Fprintf(a.stdout, "commit %s%s\n", commit, changed)
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit and the Go version of this binary",
		Example: "  weft version\n  weft version --json",
		Args:    between("argument", 0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := buildinfo.This()
			if asJSON {
				return format.JSON(a.stdout, b)
			}
			fmt.Fprintf(a.stdout, "weft %s\n", b.Version)
			a.commit(b.Commit, b.Modified)
			if p := b.Program; p != nil {
				fmt.Fprintf(a.stdout, "%s %s\n", p.Module, p.Version)
				a.commit(p.Commit, p.Modified)
			}
			fmt.Fprintf(a.stdout, "%s %s\n", b.Go, b.Platform)
			return nil
		},
	}
	flag(cmd, &asJSON, option.JSON)
	return cmd
}
