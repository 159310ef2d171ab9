package comparison

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// HostUse says which host a simulated machine had in a comparison.
type HostUse struct {
	*results.Host `json:",omitempty"`
	// Set are the parameters of the machine that this host sets, in microseconds.
	Set map[string]float64 `json:"set,omitempty"`
	// Preset says why the host is that of the machine's preset; "" if it is the record's.
	Preset string `json:"preset,omitempty"`
}

// The parameters that a record's host sets.
const (
	stepParameter = "launch.step"
	coldParameter = "launch.cold"
)

// HostOf returns the parameters of a machine that the host of a record sets: the step of a host loop and the first launch of a run, with which
// a loop of launches with answers takes as long as on that host. A wait and an answer stay the machine's, since the sum of all three was measured.
func HostOf(c *config.GPU, h *results.Host) map[string]float64 {
	tenth := func(us float64) float64 { return math.Round(max(us, 0)*10) / 10 }
	return map[string]float64{stepParameter: tenth(h.Each - c.Launch.Sync - c.Copy.Answer), coldParameter: tenth(h.Cold)}
}

// Begin returns what a run takes in addition to its launches if the caches of the host hold what it needs, in microseconds: the launch that prepares
// it, which no step precedes, and that a second kernel is launched for the first time.
func Begin(c *config.GPU) float64 {
	return c.Launch.Sync + c.Copy.Answer + c.Launch.Kernel + 2*c.Launch.First
}

// host returns a device with the host of a record in place of the machine's own, and what it is. What the user set stays.
func (q *Request) host(record *results.Repeated, rows []results.Row) (*devices.Spec, *HostUse, error) {
	c := q.Device.Config()
	if c == nil || q.Device.GPUs > 0 { // a real GPU has a real host, and the times of groups have parameters of their own
		return q.Device, nil, nil
	}
	o := q.Device.Options
	o.Serial = q.Device.GPUs == 0
	o.Set = slices.Clone(o.Set)
	graphs := map[string]bool{}
	for _, r := range rows {
		graphs[r.Graph] = true
	}
	use := &HostUse{}
	h, err := record.Host(Begin(c), func(r *results.Row) bool { return graphs[r.Graph] })
	if err != nil {
		use.Preset = err.Error()
	} else {
		use.Host, use.Set = h, HostOf(c, h)
		for _, name := range []string{stepParameter, coldParameter} {
			if _, given := q.Device.Overrides()[name]; given {
				delete(use.Set, name)
			} else {
				o.Set = append(o.Set, fmt.Sprintf("%s=%g", name, use.Set[name]))
			}
		}
	}
	d, err := devices.New(q.Device.Name, o)
	return d, use, err
}

// String says in one line which host it is.
func (u *HostUse) String() string {
	if u.Preset != "" {
		return "the host is the machine's: " + u.Preset
	}
	var set []string
	for _, name := range []string{stepParameter, coldParameter} {
		if us, ok := u.Set[name]; ok {
			set = append(set, fmt.Sprintf("%s=%g", name, us))
		}
	}
	return fmt.Sprintf("the host is the record's, by %s: %.1f us for a launch with an answer beside its kernel, %.1f us for the first launch of a run in addition (%s)",
		u.From, u.Each, u.Cold, strings.Join(set, ", "))
}

// work returns what the host did in a run, as its metrics say.
func work(number func(metric string) float64) device.HostWork {
	return device.HostWork{Steps: int(number("host_steps")), Waits: int(number("host_waits")), Answers: int(number("host_answers")),
		First: int(number("host_first_launches")), Cold: number("host_cold"), Copies: int(number("host_copies")), Bytes: int(number("host_copied_bytes"))}
}
