package papers

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// Machine is one on which the studies of all papers run besides those of their specifications.
type Machine struct {
	Name   string // in the words of a reader
	Device string // of "weft sweep --on"
	Folder string // of its results and its numbers
}

// Machines are these machines: a model and what it is a model of.
var Machines = []Machine{
	{"sim:h200", "sim:h200", "sim-h200"},
	{"an H200", "hw", "hw-h200"},
}

// Moved returns a specification whose points are on the machine. s stays as it is.
func (m Machine) Moved(s *spec.Spec) (*spec.Spec, error) {
	moved := *s // Move makes a list of points of its own
	_, err := sweep.Move(&moved, m.Device, "")
	return &moved, err
}

// NumbersFile returns the file below results/papers that has the numbers of a study on a machine, by its folder; "" stands for the
// machines of the specification.
func NumbersFile(results, machine, study string) string {
	return filepath.Join(results, "numbers", machine, study+".csv")
}

// ReadElsewhere judges a study by the numbers that were kept of it on other machines. A machine of which there are none gives no
// verdicts.
func ReadElsewhere(results string, s *spec.Spec, claims []*Claim) (list []*Elsewhere, err error) {
	for _, m := range Machines {
		var rows []Row
		text, err := os.ReadFile(NumbersFile(results, m.Folder, s.Name))
		if err == nil {
			rows, err = Read(bytes.NewReader(text))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s on %s: %w", s.Name, m.Name, err)
		}
		e, err := JudgeOn(m.Name, s, claims, rows)
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", s.Name, m.Name, err)
		}
		moved, err := m.Moved(s)
		if err != nil {
			return nil, err
		}
		e.Missing = len(moved.Points) - len(rows)
		list = append(list, e)
	}
	return list, nil
}
