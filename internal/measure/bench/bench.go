package bench

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/calibrate"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
)

// Part is one part of `weft bench`. Run does the work once and returns the rate
// in units per second.
type Part struct {
	Name, What, Unit string
	Run              func(ctx context.Context) (float64, error)
}

// Rate is the result of one benchmark.
type Rate struct {
	Name   string  `json:"name"`
	What   string  `json:"what"`
	Unit   string  `json:"unit"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	// PerStep is Median divided by the rate of the calibration loop, which
	// makes it comparable across machines.
	PerStep float64 `json:"per_calibration_step"`
}

// Report is what `weft bench --json` prints.
type Report struct {
	Command     string             `json:"command"`
	Build       buildinfo.Info     `json:"build"`
	Repeats     int                `json:"repeats"`
	Calibration calibrate.Measured `json:"calibration"`
	Benchmarks  []Rate             `json:"benchmarks"`
}

// Measure measures each part repeats times; calibrated returns the rate of the
// calibration loop. If it is interrupted, the report has the results so far.
func Measure(ctx context.Context, parts []Part, repeats int, calibrated func() float64, stderr io.Writer) (*Report, error) {
	r := &Report{Build: buildinfo.This(), Repeats: repeats, Benchmarks: []Rate{}}
	var loop []float64
	var failed error
	for _, b := range parts {
		loop = append(loop, calibrated())
		var rates []float64
		if rates, failed = measure(ctx, b, repeats, stderr); failed != nil {
			break
		}
		r.Benchmarks = append(r.Benchmarks, Rate{Name: b.Name, What: b.What, Unit: b.Unit,
			Median: Median(rates), Min: slices.Min(rates), Max: slices.Max(rates)})
	}
	loop = append(loop, calibrated())
	r.Calibration = calibrate.Measured{What: calibrate.Name, Rate: Median(loop)}
	for i := range r.Benchmarks {
		r.Benchmarks[i].PerStep = r.Benchmarks[i].Median / r.Calibration.Rate
	}
	if ctx.Err() != nil {
		failed = signals.Interrupted
	}
	return r, failed
}

// Text prints the report as a table.
func (r *Report) Text(w io.Writer) {
	rows := [][]string{{"benchmark", "median", "unit", "min to max", "per 1,000 steps", "what"}}
	for _, b := range r.Benchmarks {
		rows = append(rows, []string{b.Name, format.Scaled(b.Median), b.Unit,
			format.Scaled(b.Min) + " to " + format.Scaled(b.Max), fmt.Sprintf("%.3g", 1000*b.PerStep), b.What})
	}
	format.Table(w, "", "lrllrl", rows)
	fmt.Fprintf(w, "\ncalibration loop: %s steps/s (%s)\n", format.Scaled(r.Calibration.Rate), r.Calibration.What)
}

// measure runs one benchmark several times.
func measure(ctx context.Context, b Part, repeats int, stderr io.Writer) ([]float64, error) {
	p := progressbar.New(stderr, "bench "+b.Name)
	defer p.Finish()
	var rates []float64
	for i := range repeats {
		p.Update(int64(i), int64(repeats), "")
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rate, err := b.Run(ctx)
		if err != nil {
			return nil, fmt.Errorf("bench %s: %w", b.Name, err)
		}
		rates = append(rates, rate)
	}
	return rates, nil
}

// Median returns the middle value, or the mean of the middle two.
func Median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}
