package planted

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// Fault is a set of edits that make the project incorrect.
type Fault struct {
	Name  string
	What  string // what goes wrong
	Edits []Edit // of different files
}

// Edit replaces a text that occurs exactly once in a file. The path is relative
// to the root of the project.
type Edit struct{ File, Old, New string }

// Overlay writes an overlay for go test to dir that plants the fault in the
// project at root, and adds the generated kernels. It returns the paths of the
// overlay and of the edited files.
func (f Fault) Overlay(root, dir string) (overlay string, files []string, err error) {
	replace := map[string]string{}
	for i, e := range f.Edits {
		path := filepath.Join(root, filepath.FromSlash(e.File))
		text, err := os.ReadFile(path)
		if err != nil {
			return "", nil, err
		}
		if n := strings.Count(string(text), e.Old); n != 1 {
			return "", nil, fmt.Errorf("%s: what the fault %s replaces is there %d times, not once: %q", e.File, f.Name, n, e.Old)
		}
		wrong := filepath.Join(dir, fmt.Sprintf("%s%d.go", f.Name, i))
		if err := os.WriteFile(wrong, []byte(strings.Replace(string(text), e.Old, e.New, 1)), 0o644); err != nil {
			return "", nil, err
		}
		replace[path] = wrong
		files = append(files, wrong)
	}
	kernels, err := generate.Replace(root, dir, generate.Seeds)
	if err != nil {
		return "", nil, err
	}
	maps.Copy(replace, kernels)
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", nil, err
	}
	overlay = filepath.Join(dir, f.Name+".json")
	return overlay, files, os.WriteFile(overlay, text, 0o644)
}
