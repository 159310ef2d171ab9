//go:build !kernel

package scheduler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Quantity is a number that a scheme reports of its steps.
type Quantity struct {
	Name string `json:"name"` // "frontier"
	Unit string `json:"unit"` // "vertex"
	Doc  string `json:"what"` // one line
}

// Number is a quantity's value in one step.
type Number struct {
	Name  string
	Value float64
}

// Step is one launch of a run, as progress, results and printing know it. In
// JSON its numbers stand beside the other keys, by name.
type Step struct {
	Kernel    string // the entry point
	Iteration int    // starts with 1; 0: the launch belongs to none
	// Setup says that the launch prepares the run and does none of its work:
	// kernel times that are compared leave it out.
	Setup   bool
	Cycles  uint64  // of the launch; 0 where the device has no clock
	Seconds float64 // of the launch, device time
	Numbers []Number
}

// Number is the value of a quantity; ok is false where the step has none of
// that name.
func (s Step) Number(name string) (value float64, ok bool) {
	for _, n := range s.Numbers {
		if n.Name == name {
			return n.Value, true
		}
	}
	return 0, false
}

// stepKeys are the keys of a step in JSON that are no quantity's.
var stepKeys = []string{"iteration", "kernel", "setup", "cycles", "seconds"}

// MarshalJSON writes {"iteration": 1, "frontier": 1, ..., "cycles": 10, ...}.
func (s Step) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	add := func(key string, value any) error {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("%s of a step: %w", key, err)
		}
		sep := byte(',')
		if b.Len() == 0 {
			sep = '{'
		}
		b.WriteByte(sep)
		b.WriteString(strconv.Quote(key) + ":")
		b.Write(text)
		return nil
	}
	if s.Iteration > 0 {
		_ = add("iteration", s.Iteration)
	}
	_ = add("kernel", s.Kernel)
	if s.Setup {
		_ = add("setup", true)
	}
	for _, n := range s.Numbers {
		var value any = n.Value
		if n.Value == math.Trunc(n.Value) && math.Abs(n.Value) < 1<<53 {
			value = int64(n.Value)
		}
		if err := add(n.Name, value); err != nil {
			return nil, err
		}
	}
	_ = add("cycles", s.Cycles)
	if err := add("seconds", s.Seconds); err != nil {
		return nil, err
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON wrote; numbers come by name.
func (s *Step) UnmarshalJSON(text []byte) error {
	var fixed struct {
		Iteration int     `json:"iteration"`
		Kernel    string  `json:"kernel"`
		Setup     bool    `json:"setup"`
		Cycles    uint64  `json:"cycles"`
		Seconds   float64 `json:"seconds"`
	}
	if err := json.Unmarshal(text, &fixed); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*s = Step{Iteration: fixed.Iteration, Kernel: fixed.Kernel, Setup: fixed.Setup, Cycles: fixed.Cycles, Seconds: fixed.Seconds}
	for name, raw := range all {
		if slices.Contains(stepKeys, name) {
			continue
		}
		var value float64
		if err := json.Unmarshal(raw, &value); err != nil {
			return fmt.Errorf("%s of a step: %w", name, err)
		}
		s.Numbers = append(s.Numbers, Number{name, value})
	}
	slices.SortFunc(s.Numbers, func(a, b Number) int { return strings.Compare(a.Name, b.Name) })
	return nil
}
