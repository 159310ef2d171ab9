package command

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/launch"
)

// isKernelError returns the error for a kernel that was given in place of an
// algorithm, with the command line that launches it; nil if the name is not
// that of a kernel.
func isKernelError(name, annotated string) error {
	bare, args, _ := strings.Cut(name, "[")
	dot := strings.LastIndex(bare, ".")
	c, err := catalog.Kernels()
	if dot < 1 || err != nil || !token.IsIdentifier(bare[dot+1:]) { // such as ../folder: its dots are not followed by a name
		return nil
	}
	at := bare[:dot]
	if launch.IsPath(bare) {
		if at, err = catalog.Mount(at); err != nil {
			return nil
		}
	} else if !slices.Contains(c.Packages(), at) && launch.MountFolders(bare) != nil {
		return nil
	}
	p, err := c.Types(at)
	if err != nil {
		return nil
	}
	sig := launch.Declared(p, bare[dot+1:])
	if sig == nil {
		return nil
	}
	kernel, note := name, ""
	if n := sig.TypeParams().Len(); n > 0 && args == "" {
		var names []string
		for p := range sig.TypeParams().TypeParams() {
			names = append(names, p.Obj().Name())
		}
		kernel += "[" + strings.Join(names, ", ") + "]"
		note = fmt.Sprintf("\nwith a type for %s", strings.Join(names, ", "))
	}
	line := launch.Line(kernel, launch.Params(sig))
	verb := "run"
	if annotated != "" {
		line, verb = line+" --annotate", "annotate"
	}
	return usage.Errorf("launch it: "+line+note, "%s is a kernel, and weft %s runs algorithms", name, verb)
}
