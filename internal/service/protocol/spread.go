package protocol

import (
	"math"
	"slices"
)

// Spread summarises the values of several trials. A quartile between two values is interpolated (type 7 of Hyndman and Fan,
// Sample Quantiles in Statistical Packages, The American Statistician 1996).
type Spread struct {
	Min           float64 `json:"min"`
	FirstQuartile float64 `json:"first_quartile"`
	Median        float64 `json:"median"`
	ThirdQuartile float64 `json:"third_quartile"`
	Max           float64 `json:"max"`
	Mean          float64 `json:"mean"`
	Deviation     float64 `json:"deviation"` // standard deviation of a sample; 0 for one value
	// HarmonicMean and HarmonicDeviation are set for rates alone, for which Graph 500 asks for them. The latter is the
	// standard error of the former (Norris, The Standard Errors of the Geometric and Harmonic Means, Annals of Mathematical
	// Statistics 1940).
	HarmonicMean      float64 `json:"harmonic_mean,omitempty"`
	HarmonicDeviation float64 `json:"harmonic_deviation,omitempty"`
}

// times summarises times; nil for none.
func times(values []float64) *Spread {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	s := &Spread{Min: sorted[0], FirstQuartile: quantile(sorted, 0.25), Median: quantile(sorted, 0.5), ThirdQuartile: quantile(sorted, 0.75), Max: sorted[len(sorted)-1]}
	s.Mean, s.Deviation = moments(values)
	return s
}

// rates summarises rates, which are positive; nil for none.
func rates(values []float64) *Spread {
	s := times(values)
	if s == nil {
		return nil
	}
	inverse := make([]float64, len(values))
	for i, x := range values {
		inverse[i] = 1 / x
	}
	mean, deviation := moments(inverse)
	s.HarmonicMean = 1 / mean
	s.HarmonicDeviation = deviation / math.Sqrt(float64(len(values))) / (mean * mean)
	return s
}

// moments returns the mean of values, and the standard deviation of a sample.
func moments(values []float64) (mean, deviation float64) {
	for _, x := range values {
		mean += x / float64(len(values))
	}
	if len(values) < 2 {
		return mean, 0
	}
	for _, x := range values {
		deviation += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(values)-1))
}

// quantile returns the value below which a share of the sorted values lies.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
