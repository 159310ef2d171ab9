package counter

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
)

// Known is what the record of an H200 says of the errors of simulated counters.
type Known struct {
	Counters []KnownError `json:"counters"`
	Stalls   []KnownStall `json:"stalls"`
}

// KnownError is the error of a counter over kernels that an H200 and the simulator both counted.
type KnownError struct {
	Name    string  `json:"name"`
	Kernels int     `json:"kernels"`
	Mean    float64 `json:"mean"` // of the absolute relative errors
	Over    float64 `json:"over"` // the sum of the simulated counts divided by that of the recorded ones
}

// KnownStall is a stall reason over such kernels: the mean share that is simulated and the one that was recorded, of the
// cycles of resident warps, and the mean of the absolute differences.
type KnownStall struct {
	Name       string  `json:"name"`
	Kernels    int     `json:"kernels"`
	Simulated  float64 `json:"simulated"`
	Recorded   float64 `json:"recorded"`
	Difference float64 `json:"difference"`
}

// recorded.json is made from results/simulated by "make figures".
//
//go:embed recorded.json
var recorded []byte

// known is parsed once, when the program starts: it is short.
var known = func() (k Known) {
	if err := json.Unmarshal(recorded, &k); err != nil {
		panic("counter: recorded.json: " + err.Error())
	}
	return k
}()

// AllKnown returns the whole table.
func AllKnown() Known { return known }

// ErrorOf returns what the record of an H200 says of the error of a counter; ok is false if it says nothing.
func ErrorOf(name string) (e KnownError, ok bool) {
	for _, e := range known.Counters {
		if e.Name == name {
			return e, true
		}
	}
	return KnownError{}, false
}

// String returns "off by 9.8% over 86 kernels".
func (e KnownError) String() string {
	return fmt.Sprintf("off by %.1f%% over %d kernels", 100*e.Mean, e.Kernels)
}

// StallErrorOf returns what the record of an H200 says of a stall reason; ok is false if it says nothing, because no
// record has the reason, or because it is rare in all recorded kernels, on both sides.
func StallErrorOf(reason string) (s KnownStall, ok bool) {
	const rare = 0.02
	for _, s := range known.Stalls {
		if s.Name == reason {
			return s, max(s.Simulated, s.Recorded) >= rare
		}
	}
	return KnownStall{}, false
}

// Trusted reports whether the simulated shares of the reason can be believed: the mean difference is at most half of the
// larger of both means.
func (s KnownStall) Trusted() bool { return s.Difference <= 0.5*math.Max(s.Simulated, s.Recorded) }

// String returns "on an H200 0.7% where 17.5% is simulated, over 86 kernels: not trusted".
func (s KnownStall) String() string {
	text := fmt.Sprintf("on an H200 %.1f%% where %.1f%% is simulated, over %d kernels", 100*s.Recorded, 100*s.Simulated, s.Kernels)
	if !s.Trusted() {
		text += ": not trusted"
	}
	return text
}

// Untrusted reports whether a record shows that the simulated shares of a stall reason cannot be believed.
func Untrusted(reason string) bool {
	s, ok := StallErrorOf(reason)
	return ok && !s.Trusted()
}
