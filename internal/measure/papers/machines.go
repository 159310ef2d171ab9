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
	Name   string         // in the words of a reader
	Device string         // of "weft sweep --on"; "" for the machines of the specification
	Set    []spec.Setting // of "weft sweep --set"
	Folder string         // of its results and its numbers
}

// noTime is the time of each step of the host on a machine without costs of the host: as short as a machine allows.
const noTime = "0.01"

// Machines are these machines: the papers' own with a host that takes no time, which is the test of every reason that
// names launches and waits; another GPU of today; a model of one; and what it is a model of.
var Machines = []Machine{
	{Name: "a host without costs", Folder: "no-host", Set: []spec.Setting{
		{Name: "launch.kernel", Value: noTime}, {Name: "launch.rate", Value: noTime}, {Name: "launch.gap", Value: noTime},
		{Name: "launch.sync", Value: noTime}, {Name: "launch.step", Value: noTime}, {Name: "launch.first", Value: noTime},
		{Name: "launch.cold", Value: noTime}, {Name: "copy.latency", Value: noTime}, {Name: "copy.answer", Value: noTime},
	}},
	{Name: "an H100", Device: "hw", Folder: "hw-h100"},
	{Name: "sim:h200", Device: "sim:h200", Folder: "sim-h200"},
	{Name: "an H200", Device: "hw", Folder: "hw-h200"},
}

// Moved returns a specification whose points are on the machine. s stays as it is.
func (m Machine) Moved(s *spec.Spec) (*spec.Spec, error) {
	moved := *s // Move and Change make a list of points of their own
	if m.Device != "" {
		if _, err := sweep.Move(&moved, m.Device, ""); err != nil {
			return nil, err
		}
	}
	if len(m.Set) > 0 {
		if _, err := sweep.Change(&moved, m.Set); err != nil {
			return nil, err
		}
	}
	return &moved, nil
}

// NumbersFile returns the file below results/papers that has the numbers of a study on a machine, by its folder; "" stands for the
// machines of the specification.
func NumbersFile(results, machine, study string) string {
	return filepath.Join(results, "numbers", machine, study+".csv")
}

// ReadKept reads the numbers that were kept of a study on a machine; none if there are none.
func ReadKept(results, machine, study string) ([]Row, error) {
	text, err := os.ReadFile(NumbersFile(results, machine, study))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Read(bytes.NewReader(text))
}

// ReadElsewhere judges a study by the numbers that were kept of it on other machines, and puts the numbers into the reasons of its
// verdicts. A machine of which there are none gives no verdicts.
func (t *Study) ReadElsewhere(results string, claims []*Claim) error {
	for _, m := range Machines {
		rows, err := ReadKept(results, m.Folder, t.Spec.Name)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", t.Spec.Name, m.Name, err)
		}
		e, err := JudgeOn(m.Name, t.Spec, claims, rows)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", t.Spec.Name, m.Name, err)
		}
		moved, err := m.Moved(t.Spec)
		if err != nil {
			return err
		}
		e.Missing = len(moved.Points) - len(rows)
		t.Elsewhere = append(t.Elsewhere, e)
	}
	return t.explain()
}

// ReadStudy judges a study by the numbers that were kept of it, on its own machines and on the others.
func ReadStudy(results string, s *spec.Spec) (*Study, error) {
	claims, err := Parse(s)
	if err != nil {
		return nil, err
	}
	rows, err := ReadKept(results, "", s.Name)
	if err != nil {
		return nil, err
	}
	study, err := Judge(s, claims, rows)
	if err != nil {
		return nil, err
	}
	return study, study.ReadElsewhere(results, claims)
}
