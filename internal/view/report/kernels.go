package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Limits for the list of kernels: their maximum number and minimum fraction of
// the time; the maximum number of stall reasons and their minimum fraction of
// the warps' cycles.
const (
	mostKernels = 3
	leastKernel = 0.05
	mostStalls  = 4
	leastStall  = 0.01
)

// Kernels prints, for the kernels that did most of the work, their launch
// configuration, their stall reasons and the utilisation of each unit; then
// what bounds the run.
func Kernels(w io.Writer, r *run.Work) {
	var rows [][]string
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if i > 0 && (i == mostKernels || k.Share < leastKernel) {
			break
		}
		rows = append(rows, kernelRows(k, r.Cycles > 0 || r.KernelSeconds > 0)...)
		rows = append(rows, []string{"", ""})
	}
	if b := r.Bound; b != nil && b != r.Kernels[0].Bound {
		rows = append(rows, []string{"the run", "bound by " + b.Text})
	} else if len(rows) > 0 {
		rows = rows[:len(rows)-1]
	}
	if len(rows) > 0 {
		fmt.Fprintln(w)
		format.Table(w, "", "ll", rows)
	}
}

func kernelRows(k *bound.Kernel, clock bool) [][]string {
	of := "of the warp instructions"
	if clock {
		of = "of the GPU time"
	}
	rows := [][]string{
		{"kernel", k.Name},
		{"", fmt.Sprintf("%s%s, %s %s", format.Thousands(k.Launches), plural(k.Launches, " launch"), bound.Percent(k.Share), of)},
		{"launched", Configuration(k)},
	}
	if k.Occupancy != nil {
		rows = append(rows, []string{"occupancy", Occupancy(k.Occupancy)})
	}
	for i, s := range k.Stalls {
		if i == mostStalls || s.Share < leastStall {
			break
		}
		text := fmt.Sprintf("%6s  %s: %s", bound.Percent(s.Share), s.Name, s.What)
		if s.Recorded != "" {
			text += " (" + s.Recorded + ")"
		}
		rows = append(rows, []string{first(i, "stalls"), text})
	}
	shown := 0
	for i := range k.Peaks {
		p := &k.Peaks[i]
		if !p.Always() && p.Share < leastStall {
			continue
		}
		text := fmt.Sprintf("%6s  %s, of %s", bound.Percent(p.Share), p.Unit, p.Peak)
		if b := k.Balance; b != nil && b.Class != bound.Even && p.WithWork > 0 {
			text += fmt.Sprintf(" (%s on SMs with a block)", bound.Percent(p.WithWork))
		}
		rows = append(rows, []string{first(shown, "of peak"), text})
		shown++
	}
	if b := k.Balance; b != nil {
		rows = append(rows, []string{"balance", Balance(b)})
	}
	if k.Roofline != nil {
		for i := range k.Roofline.Levels {
			rows = append(rows, []string{first(i, "roofline"), Roof(k.Roofline, &k.Roofline.Levels[i])})
		}
	}
	if k.Bound != nil {
		rows = append(rows, []string{"bound by", k.Bound.Text})
	}
	return rows
}

// plural returns the word for n items: "launch", or "launches".
func plural(n int, word string) string {
	switch {
	case n == 1:
		return word
	case strings.HasSuffix(word, "ch"):
		return word + "es"
	}
	return word + "s"
}

// first returns the label for the first of several rows, "" for the others.
func first(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}

// Occupancy describes how many blocks of a kernel fit on an SM, and the
// occupancy achieved.
func Occupancy(o *bound.Occupancy) string {
	text := fmt.Sprintf("%d%s, %d of %d warps per SM, ", o.Blocks, plural(o.Blocks, " block"), o.Warps, o.MaxWarps)
	if o.Limit == driverLimit {
		text += "by " + o.Limit
	} else {
		text += "limited by " + o.Limit
	}
	if o.Active != nil {
		text += fmt.Sprintf("; %s resident on average", bound.Percent(*o.Active))
	}
	return text
}

// Balance describes how the blocks of a kernel occupy the SMs.
func Balance(b *bound.Balance) string {
	text := fmt.Sprintf("an SM has a block for %s of the time on average", bound.Percent(b.Active))
	if b.Waves > 0 {
		text = fmt.Sprintf("the longest launch has %s, %.2g waves; %s", format.Thousands(b.Blocks)+plural(b.Blocks, " block"), b.Waves, text)
	}
	if b.Text != "" {
		text += "; " + b.Text
	}
	return text
}

// Roof describes what a kernel reaches of what a level of the memory allows.
func Roof(r *bound.Roofline, l *bound.Level) string {
	limit := "instructions"
	if l.Roof < r.Peak {
		limit = format.Scaled(l.Peak) + "B/s"
	}
	return fmt.Sprintf("%6s  %s: %.3g thread inst/byte, %s inst/s of %s (%s)", bound.Percent(r.Rate/l.Roof), l.Name, l.Intensity, format.Scaled(r.Rate), format.Scaled(l.Roof), limit)
}

// driverLimit is the limiter in device.Occupancy if the driver does not name
// one.
const driverLimit = "the driver's calculation"

// Configuration describes how a kernel was launched.
func Configuration(k *bound.Kernel) string {
	parts := []string{
		k.Block.String() + " threads per block",
		k.Grid.String() + plural(k.Grid.Most, " block"),
	}
	if k.Registers > 0 {
		estimated := ""
		if k.Estimated {
			estimated = " (estimated)"
		}
		parts = append(parts, fmt.Sprintf("%d registers per thread%s", k.Registers, estimated))
	}
	if k.SharedBytes > 0 {
		parts = append(parts, format.Thousands(k.SharedBytes)+" bytes of shared memory per block")
	} else {
		parts = append(parts, "no shared memory")
	}
	return strings.Join(parts, ", ")
}
