package devices

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim"
)

// Detail selects the launches of a run that are simulated at cycle level,
// numbered from 1, and counts the launches.
type Detail struct {
	First        int `json:"first_launch"` // the range that was requested, inclusive
	Last         int `json:"last_launch"`
	Detailed     int `json:"detailed_launches"`   // number of launches simulated at cycle level
	Functionally int `json:"functional_launches"` // number of the other launches
}

// ParseDetail parses "launches=10-20" or "launches=7"; it returns nil for "".
func ParseDetail(text string, spec *Spec) (*Detail, error) {
	if text == "" {
		return nil, nil
	}
	hint := usage.Say("write %s (launches are counted from 1)", option.Detail.With("launches=10-20"))
	if err := spec.Need(option.Detail, option.Detail.Needs); err != nil {
		return nil, err
	}
	what, span, _ := strings.Cut(text, "=")
	first, last, isRange := strings.Cut(span, "-")
	if !isRange {
		last = first
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if what != "launches" || err1 != nil || err2 != nil || from < 1 || to < from {
		return nil, usage.Errorf(hint, "%s: %q is not a range of launches", option.Detail, text)
	}
	return &Detail{First: from, Last: to}, nil
}

func (d *Detail) String() string {
	n := d.Detailed + d.Functionally
	if d.Detailed == 0 {
		return fmt.Sprintf("none: there were %s launches, all run functionally", format.Thousands(n))
	}
	return fmt.Sprintf("launches %s to %s of %s at cycle level, the others functionally; cycles and counters are of those",
		format.Thousands(d.First), format.Thousands(d.First+d.Detailed-1), format.Thousands(n))
}

// mixed is a simulated GPU that runs only the launches of a Detail at cycle
// level and the others functionally, on the same memory. The functional
// launches do not affect the caches of the simulated machine.
type mixed struct {
	*sim.Device
	facts *Detail
}

// newMixed wraps a simulated GPU.
func newMixed(d *sim.Device, facts *Detail) *mixed { return &mixed{d, facts} }

// detailed reports whether the next launch runs at cycle level.
func (m *mixed) detailed() bool {
	n := m.facts.Detailed + m.facts.Functionally + 1
	return n >= m.facts.First && n <= m.facts.Last
}

// LaunchRead is that of the executor that is responsible for this launch.
func (m *mixed) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	if m.detailed() {
		m.facts.Detailed++
		return m.Device.LaunchRead(ctx, l, a)
	}
	return device.LaunchThenRead(ctx, m, l, a)
}

// Launch runs a kernel on the executor that is responsible for this launch.
func (m *mixed) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	if m.detailed() {
		m.facts.Detailed++
		return m.Device.Launch(ctx, l)
	}
	m.facts.Functionally++
	return m.LaunchFunctional(ctx, l)
}

// LaunchAll simulates all these launches at cycle level, since only there can
// they run concurrently.
func (m *mixed) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	m.facts.Detailed += len(ls)
	return m.Device.LaunchAll(ctx, ls)
}

// LaunchChain simulates all launches of a chain at cycle level: only there kernels start kernels.
func (m *mixed) LaunchChain(ctx context.Context, c device.Chain) ([]device.Started, error) {
	all, err := m.Device.LaunchChain(ctx, c)
	m.facts.Detailed += len(all)
	return all, err
}

// Total returns the totals of the launches at cycle level, with the total
// number of launches.
func (m *mixed) Total() *device.Report {
	r := *m.Device.Total()
	r.Launches = m.facts.Detailed + m.facts.Functionally
	return &r
}
