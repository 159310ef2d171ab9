package graph

import "fmt"

// Tolerance says how far floating-point values may be from those of a reference, and how
// far they are. All differences are relative.
type Tolerance struct {
	Allowed     float64 `json:"largest_allowed"` // the largest, over all vertices
	MeanAllowed float64 `json:"mean_allowed"`    // the mean over all vertices
	Seen        float64 `json:"largest_seen"`    // the largest difference among values within their tolerance
	Rule        string  `json:"rule"`            // how the allowed difference is derived
}

// String returns "largest error 0.013% (allowed: 0.02% on average, 0.041% at most)".
func (t Tolerance) String() string {
	return fmt.Sprintf("largest error %.2g%% (allowed: %.2g%% on average, %.2g%% at most)", 100*t.Seen, 100*t.MeanAllowed, 100*t.Allowed)
}
