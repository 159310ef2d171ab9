package compare

import (
	"math"
	"slices"
)

// MicroRow is a micro-benchmark on both sides.
type MicroRow struct {
	Group string  `json:"group"`
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	Error Part    `json:"error"` // null if there is a Note
	// Note is why there is no error: no record, or a failure.
	Note string `json:"note,omitempty"`
	// Constant is the name of the machine parameter to which the row is equal. Rows with the same constant count as
	// one.
	Constant string `json:"constant,omitempty"`
}

// secondsIn is the number of seconds in each unit of time.
var secondsIn = map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

// MarkConstant marks the rows whose time on side a equals a parameter of the machine, to the last digit.
func MarkConstant(rows []MicroRow, parameter string, seconds float64) {
	for i := range rows {
		r := &rows[i]
		if by := secondsIn[r.Unit]; by != 0 && r.Note == "" && math.Abs(r.A*by-seconds) <= 1e-9*seconds {
			r.Constant = parameter
		}
	}
}

// SummarizeMicro summarizes the errors of rows. Rows with the same constant count as one, with the median of the
// measured values; merged has the number of rows of each constant.
func SummarizeMicro(rows []MicroRow) (s Summary, merged map[string]int) {
	var pairs [][2]float64
	merged = map[string]int{}
	measured := map[string][]float64{}
	constant := map[string]float64{}
	for _, r := range rows {
		if r.Note != "" {
			continue
		}
		if r.Constant == "" {
			pairs = append(pairs, [2]float64{r.A, r.B})
			continue
		}
		merged[r.Constant]++
		constant[r.Constant] = r.A * secondsIn[r.Unit]
		measured[r.Constant] = append(measured[r.Constant], r.B*secondsIn[r.Unit])
	}
	for name, all := range measured {
		slices.Sort(all)
		pairs = append(pairs, [2]float64{constant[name], (all[(len(all)-1)/2] + all[len(all)/2]) / 2})
	}
	return Summarize(pairs), merged
}
