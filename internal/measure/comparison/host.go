package comparison

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
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
	stepParameter  = "launch.step"
	firstParameter = "launch.first"
	coldParameter  = "launch.cold"
)

// HostOf returns the host of a record for a machine, from rows that are not compared: see Repeated.Host. The kernel that prepares a run is none of
// those whose time is recorded, so that it counts for the host.
func HostOf(record *results.Repeated, c *config.GPU, kernels func(*results.Row) int, compared func(*results.Row) bool) (*results.Host, error) {
	return record.Host(c.Launch.Sync+c.Copy.Answer+c.Launch.Kernel, 2*c.Launch.First, kernels, compared)
}

// Kernels returns how many kernels the run of a row launches, as rows that were simulated say of the same algorithm, scheme and parameters; 0 if
// none does.
func Kernels(rows []compare.TimeRow) func(*results.Row) int {
	key := func(algorithm, scheduler string, params map[string]string) string {
		return algorithm + " " + scheduler + " " + format.Assignments(params)
	}
	of := map[string][]int{}
	for _, r := range rows {
		k := key(r.Algorithm, r.Scheduler, r.Params)
		of[k] = append(of[k], r.Host.First)
	}
	for _, list := range of {
		slices.Sort(list)
	}
	return func(r *results.Row) int {
		list := of[key(r.Algorithm, r.Scheduler, r.Values())]
		if len(list) == 0 {
			return 0
		}
		return list[len(list)/2]
	}
}

// WithHost returns a machine with the host of a record, and the parameters that this host sets, in microseconds: the step of a host loop and the
// first launches, with which a loop of launches with answers takes as long as on that host. A wait and an answer stay the machine's, since the sum
// of all three was measured. The parameters named in given stay as they are.
func WithHost(c *config.GPU, h *results.Host, given map[string]string) (*config.GPU, map[string]float64, error) {
	tenth := func(us float64) float64 { return math.Round(max(us, 0)*10) / 10 }
	set := map[string]float64{stepParameter: tenth(h.Each - c.Launch.Sync - c.Copy.Answer), coldParameter: tenth(h.Cold)}
	if h.First > 0 {
		set[firstParameter] = tenth(h.First)
	}
	for name := range given {
		delete(set, name)
	}
	other, err := With(c, set)
	return other, set, err
}

// With returns a copy of a machine with other values of some parameters.
func With(c *config.GPU, set map[string]float64) (*config.GPU, error) {
	other := *c
	for name, value := range set {
		if err := other.Set(name, fmt.Sprint(value)); err != nil {
			return nil, err
		}
	}
	return &other, nil
}

// hosted returns the device of a comparison: a simulated one runs launches that are made together one after another, as the hosts of records do.
func (q *Request) hosted() (*devices.Spec, error) {
	if q.Device.Config() == nil || q.Device.GPUs > 0 { // a real GPU has a real host, and the times of groups have parameters of their own
		return q.Device, nil
	}
	o := q.Device.Options
	o.Serial = true
	return devices.New(q.Device.Name, o)
}

// host puts the host of the record in place of the machine's own: it corrects the times of the rows by what that host takes for the same work.
// What the user set stays. Which kernels a run launches is known from the rows, so that this comes after all of them have run.
func (t *TimeTable) host(record *results.Repeated, d *devices.Spec) error {
	c := d.Config()
	if c == nil || d.GPUs > 0 {
		return nil
	}
	graphs := map[string]bool{}
	for _, r := range t.Rows {
		graphs[r.Graph] = true
	}
	t.Host = &HostUse{}
	h, err := HostOf(record, c, Kernels(t.Rows), func(r *results.Row) bool { return graphs[r.Graph] })
	if err != nil {
		t.Host.Preset = err.Error()
		return nil
	}
	theirs, set, err := WithHost(c, h, d.Overrides())
	if err != nil {
		return err
	}
	t.Host.Host, t.Host.Set = h, set
	for i := range t.Rows {
		r := &t.Rows[i]
		r.A += sim.HostSeconds(theirs, r.Host) - sim.HostSeconds(c, r.Host)
		r.Error = compare.TimeError(r.A, r.B)
	}
	return nil
}

// String says in one line which host it is.
func (u *HostUse) String() string {
	if u.Preset != "" {
		return "the host is the machine's: " + u.Preset
	}
	var set []string
	for _, name := range []string{stepParameter, firstParameter, coldParameter} {
		if us, ok := u.Set[name]; ok {
			set = append(set, fmt.Sprintf("%s=%g", name, us))
		}
	}
	first := ""
	if u.First > 0 {
		first = fmt.Sprintf(", %.1f us more for the first launch of a kernel", u.First)
	}
	return fmt.Sprintf("the host is the record's, by %s: %.1f us for a launch with an answer beside its kernel%s, up to %.1f us for the first launch of a run in addition (%s)",
		u.From, u.Each, first, u.Cold, strings.Join(set, ", "))
}

// work returns what the host did in a run, as its metrics say.
func work(number func(metric string) float64) device.HostWork {
	return device.HostWork{Steps: int(number("host_steps")), Waits: int(number("host_waits")), Answers: int(number("host_answers")),
		First: int(number("host_first_launches")), Cold: number("host_cold"), Copies: int(number("host_copies")), Bytes: int(number("host_copied_bytes"))}
}
