package hangs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// Scenario is a kernel that may hang, with what it takes to run and to judge it.
type Scenario struct {
	Name   string
	Title  string
	Source string // paper, or where the mistake is described
	Why    string // why it hangs, and what ends it
	// Params are its parameters. One of them may be Blocks, whose values are a Grid.
	Params []scheduler.Param
	// Cases are sets of parameters that show when it hangs and when it ends.
	Cases []map[string]string

	// blocks is the size of the grid of a scenario that has no parameter for it.
	blocks int
	// multiple is what the size of the grid is a multiple of; 0 means 1.
	multiple int
	// cooperative launches require that all blocks are resident.
	cooperative bool
	// kernel returns the entry point.
	kernel func(v Values) string
	// arguments allocates the buffers, and returns the arguments of the kernel.
	arguments func(m *memory, l layout) []any
	// check returns what is wrong after the kernel has ended, and a remark on what it found.
	check func(m *memory, l layout) (remark string, err error)
	// expect says how the launch must end.
	expect func(s Situation) Expectation
}

// layout is the size of a launch and the values of the parameters.
type layout struct {
	Values
	grid, threads int
}

// Blocks, Threads and Registers are the names of parameters that several scenarios have.
const (
	Blocks    = "blocks"
	Threads   = "threads"
	Registers = "registers"
	rounds    = "rounds"
)

// Values are the values of a scenario's parameters.
type Values struct {
	Grid  Grid
	given map[string]any // by name, without Blocks
	texts map[string]string
}

// Int returns the value of a number. Int and Word panic if the scenario has no such parameter,
// since that is a bug in the scenario.
func (v Values) Int(name string) int { return v.given[name].(int) }

// Word returns the value of a parameter that is one of a few words.
func (v Values) Word(name string) string { return v.given[name].(string) }

// words returns the value of a number as an argument of a kernel.
func (v Values) word32(name string) uint32 { return uint32(v.Int(name)) }

// registers returns the number of registers that a thread is given; 0 for the kernel's own.
func (v Values) registers() int {
	n, _ := v.given[Registers].(int)
	return n
}

// Texts returns all values as a user would write them.
func (v Values) Texts() map[string]string { return maps.Clone(v.texts) }

// Values parses parameters by name; those that are not given have their defaults.
func (s *Scenario) Values(given map[string]string) (Values, error) {
	v := Values{Grid: Grid{number: s.blocks}, given: map[string]any{}, texts: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !s.Has(name) {
			return v, fmt.Errorf("scenario %s has no parameter %q; there are: %s", s.Name, name, strings.Join(s.ParamNames(), ", "))
		}
	}
	for _, p := range s.Params {
		text, ok := given[p.Name]
		if !ok {
			text = p.Default
		}
		var err error
		if p.Name == Blocks {
			v.Grid, err = ParseGrid(text)
		} else {
			v.given[p.Name], err = p.Parse(text)
		}
		if err != nil {
			return v, fmt.Errorf("parameter %s of scenario %s: %w", p.Name, s.Name, err)
		}
		v.texts[p.Name] = text
	}
	return v, nil
}

// Has reports whether the scenario has a parameter.
func (s *Scenario) Has(param string) bool {
	return slices.ContainsFunc(s.Params, func(p scheduler.Param) bool { return p.Name == param })
}

// ParamNames returns the names of the parameters.
func (s *Scenario) ParamNames() (names []string) {
	for _, p := range s.Params {
		names = append(names, p.Name)
	}
	return names
}

// threads returns the number of threads of a block.
func (v Values) threads() int { return v.Int(Threads) }

// Machine has the properties of a device that decide whether scenarios hang on it.
type Machine struct {
	// Silicon is set for a real GPU, of which the rest is what its vendor documents.
	Silicon bool `json:"silicon"`
	// Strict is set for the functional device, which stops at mistakes that a machine
	// tolerates.
	Strict bool `json:"strict"`
	// IndependentLanes is set if each lane of a warp makes progress, as since Volta. Otherwise
	// lanes that have left a loop wait behind it for those that have not.
	IndependentLanes bool `json:"independent_lanes"`
	// SyncByWarp is set if a warp arrives at a barrier as soon as one of its lanes does, as
	// before Volta.
	SyncByWarp bool `json:"sync_by_warp"`
	// CachesGlobal is set if the L1 of an SM answers global loads.
	CachesGlobal bool `json:"caches_global_loads"`
	// SMs is the number of SMs; 0 if it is not known before the device is open.
	SMs int `json:"sms,omitempty"`
}

// MachineOf returns the properties of a device with the given capabilities. values has the
// parameters of a simulated machine by name, and is nil for other devices.
func MachineOf(can device.Capabilities, values map[string]any) Machine {
	m := Machine{Silicon: can.Has(device.Silicon), IndependentLanes: true}
	m.Strict = can.Has(device.Unwritten)
	m.CachesGlobal = m.Silicon
	if values != nil {
		m.IndependentLanes = fmt.Sprint(values["sm.divergence"]) == "its"
		m.SyncByWarp, _ = values["barrier.by_warp"].(bool)
		m.CachesGlobal, _ = values["l1.global"].(bool)
		m.SMs, _ = values["sm.count"].(int)
	}
	return m
}

// Situation is a launch of a scenario on a machine.
type Situation struct {
	Machine
	Values
	Blocks   int // of the grid
	Threads  int // per block
	Resident int // blocks that the machine holds at the same time
}

// Outcome is how a launch ended.
type Outcome string

// The outcomes.
const (
	Ends      Outcome = "ends"      // with the right answer
	Wrong     Outcome = "wrong"     // it ended with a wrong answer
	Hangs     Outcome = "hangs"     // it was shown never to end, or ended at a deadline of a real GPU
	Undecided Outcome = "undecided" // a budget ended it
	Rejected  Outcome = "rejected"  // the device does not launch it
	Faults    Outcome = "faults"    // a thread did something that the device does not allow
	Fails     Outcome = "fails"     // the device or its driver failed, which says nothing about the kernel
)

// Expectation is how a launch must end.
type Expectation struct {
	Outcomes []Outcome `json:"outcomes"` // several if the machine's documents leave it open
	Why      string    `json:"why"`
}

// Met reports whether a launch may end so.
func (e Expectation) Met(o Outcome) bool { return slices.Contains(e.Outcomes, o) }

// Words returns "ends or hangs".
func (e Expectation) Words() string {
	var words []string
	for _, o := range e.Outcomes {
		words = append(words, string(o))
	}
	return strings.Join(words, " or ")
}

// String returns "ends or hangs: why".
func (e Expectation) String() string { return e.Words() + ": " + e.Why }

func must(o Outcome, format string, args ...any) Expectation {
	return Expectation{[]Outcome{o}, fmt.Sprintf(format, args...)}
}

func either(why string, outcomes ...Outcome) Expectation { return Expectation{outcomes, why} }
