package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/base/outfile"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
)

// outputs are the files that a command writes, checked against those that it
// reads: graphs, and sources of algorithms in the user's directories.
type outputs struct{ plan outfile.Plan }

// reads adds the files that define a device.
func (o *outputs) reads(spec *devices.Spec) *outputs {
	for _, f := range spec.Files() {
		o.plan.Reads("a file of the machine", f)
	}
	return o
}

// outputs returns the outputs of a command, with the files that it reads and
// where it prints.
func (a *app) outputs(graphs, algorithms []string) *outputs {
	o := &outputs{}
	if a.out != nil {
		if f, ok := a.out.w.(*os.File); ok {
			o.plan.Prints("the standard output", f)
		}
	}
	for _, g := range graphs {
		o.plan.Reads("the graph that is read", g)
	}
	for _, alg := range algorithms {
		if !launch.IsPath(alg) {
			continue
		}
		dir := alg[:max(strings.LastIndex(alg, "."), 0)]
		sources, err := os.ReadDir(dir)
		if err != nil {
			continue // reading it later reports the error
		}
		for _, file := range sources {
			if filepath.Ext(file.Name()) == ".go" {
				o.plan.Reads("a source that is read", filepath.Join(dir, file.Name()))
			}
		}
	}
	return o
}

// file returns the output for a flag; nil if path is empty.
func (o *outputs) file(flag, path string) (*outfile.File, error) {
	f, err := o.plan.New(flag, path)
	var conflict *outfile.ConflictError
	if errors.As(err, &conflict) {
		return nil, usage.Errorf("name another file", "%v", err)
	}
	if f.Piped() {
		signals.OwnPipes()
	}
	return f, err
}
