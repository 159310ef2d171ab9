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

	"github.com/weft-gpu/weft/device"
)

// Quantity is a number that a scheme reports for each step.
type Quantity struct {
	Name string `json:"name"` // "frontier"
	Unit string `json:"unit"` // "vertex"
	Doc  string `json:"what"` // one line
}

// Series is a quantity over time, or over the iterations of a run.
type Series struct {
	Name     string    `json:"name"`             // "throughput"
	Unit     string    `json:"unit"`             // "vertex/s"
	Doc      string    `json:"what"`             // one line
	Interval float64   `json:"interval_seconds"` // 0 if the values are those of iterations
	Values   []float64 `json:"values"`           // one for each interval or iteration
}

// Number is the value of a quantity in one step.
type Number struct {
	Name  string
	Value float64
}

// Step is one launch of a run, for progress, results and output. In JSON its numbers are
// beside the other keys, by name.
type Step struct {
	Kernel    string // name of the entry point
	Iteration int    // from 1; 0 if the launch belongs to no iteration
	// Setup is set if the launch prepares the run and does none of its work. Comparisons of
	// kernel times omit it.
	Setup   bool
	Cycles  uint64  // of the launch; 0 if the device has no clock
	Seconds float64 // device time of the launch
	Numbers []Number
}

// Number returns the value of a quantity; ok is false if the step does not have it.
func (s Step) Number(name string) (value float64, ok bool) {
	for _, n := range s.Numbers {
		if n.Name == name {
			return n.Value, true
		}
	}
	return 0, false
}

// stepKeys are the keys of a step in JSON that are not quantities.
var stepKeys = []string{"iteration", "kernel", "setup", "cycles", "seconds"}

// MarshalJSON returns {"iteration": 1, "frontier": 1, ..., "cycles": 10, ...}.
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

// UnmarshalJSON parses the output of MarshalJSON; Numbers are sorted by name.
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

// ReadSeries adds to each of some series, which a kernel recorded in words that take turns, the values of so many iterations, as far as the buffer on a device has room for them. Without any, it returns nil.
func ReadSeries(dev device.Device, history device.Buffer, iterations int, list []Series) ([]Series, error) {
	words := make([]uint32, min(iterations*len(list), history.Len))
	if len(words) == 0 {
		return nil, nil
	}
	if err := dev.Read(history.Slice(0, len(words)), words); err != nil {
		return nil, err
	}
	for i, w := range words {
		s := &list[i%len(list)]
		s.Values = append(s.Values, float64(w))
	}
	return list, nil
}
