// Package planted keeps faults of the past, and others like them, as edits of the
// project's sources, to see whether the differential tests find them by themselves.
package planted

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Fault is edits that make the project wrong.
type Fault struct {
	Name  string
	What  string // goes wrong
	Edits []Edit // of different files
}

// Edit replaces a text of a file, which occurs there once. The path is from the root
// of the project.
type Edit struct{ File, Old, New string }

// Overlay writes an overlay for go test under dir that plants the fault in the project
// at root, and returns the path of the overlay and those of the edited files.
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
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", nil, err
	}
	overlay = filepath.Join(dir, f.Name+".json")
	return overlay, files, os.WriteFile(overlay, text, 0o644)
}
