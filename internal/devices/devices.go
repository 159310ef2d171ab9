// Package devices opens devices by name: "func", "sim:h200", "hw:1". It is the
// one place that knows which kinds of devices there are; all others ask a Spec
// or a device for what it can do.
package devices

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/profile"
)

// Family is a kind of device. Adding one is a file of this package and a line
// in its list of families.
type Family struct {
	// Name is what names of its devices begin with, up to a colon: "sim".
	Name string
	// Phrase tells a user how to name a device that can do what another one
	// cannot: "name a simulated machine by --device, such as sim:h200".
	Phrase string
	// Can is what its devices can do.
	Can device.Capabilities
	// List is the devices that have a name in lists and in messages.
	List func() []Info
	// Is reports a name of one of its devices, also one that List leaves out;
	// nil where List has all.
	Is func(name string) bool
	// More says which devices List leaves out; "" where it has all.
	More string
	// Configure checks what s says of a device and gives s the functions that
	// open and describe it. Name, Options and Set are set; options that the
	// family's devices have no capability for have been refused.
	Configure func(s *Spec) error
}

// Info describes a device that can be named.
type Info struct {
	Name string `json:"name"`
	What string `json:"what"`
	Note string `json:"note,omitempty"`
}

// families are the kinds of devices in the order of lists.
var families []*Family

func init() {
	for _, f := range []Family{simulated(), functional(), hardware()} {
		Register(f)
	}
}

// Register adds a kind of device; it panics where there is one of that name.
func Register(f Family) {
	if slices.ContainsFunc(families, func(g *Family) bool { return g.Name == f.Name }) {
		panic(fmt.Sprintf("devices: there are two families %q", f.Name))
	}
	families = append(families, &f)
}

// List returns the devices that can be named, the default first.
func List() (list []Info) {
	for _, f := range families {
		list = append(list, f.List()...)
	}
	return list
}

// More has a line about the devices of each family that List leaves out.
func More() (lines []string) {
	for _, f := range families {
		if f.More != "" {
			lines = append(lines, f.More)
		}
	}
	return lines
}

// Names are the names in List.
func Names() (names []string) {
	for _, d := range List() {
		names = append(names, d.Name)
	}
	return names
}

// Default is the device that runs what nobody chose a device for.
const Default = "sim:h200"

// Options say how a device is to be opened. Each that is set needs a capability.
type Options struct {
	Set       []string      // parameters: "sm.count=16,l2.latency=200", "..."
	Seed      uint64        // of random choices; devices that make none ignore it
	Budget    uint64        // of a launch: cycles, or on func warp instructions; 0 for no limit
	Unwritten bool          // let kernels read words that nobody has written
	Check     bool          // keep bounds and divisor checks
	Deadline  time.Duration // of a launch; 0 for none
}

// Setting is an assignment to a parameter.
type Setting struct{ Path, Value string }

// Spec is a device as somebody named it, checked but not opened.
type Spec struct {
	Name    string
	Options Options
	Set     []Setting // of Options, taken apart

	family *Family
	// What Configure gives; parameter and record may stay nil.
	open      func(context.Context, Watch) (device.Device, error)
	parameter func(path string) (value string, err error)
	machine   *config.GPU
	record    func(context.Context) (string, error)
}

// New checks a name and options. An error is a *usage.Error where it is a
// mistake in them.
func New(name string, o Options) (*Spec, error) {
	s := &Spec{Name: name, Options: o}
	var err error
	if s.Set, err = parseSet(o.Set); err != nil {
		return nil, err
	}
	for _, f := range families {
		is := f.Is
		if is == nil {
			is = func(name string) bool {
				return slices.ContainsFunc(f.List(), func(d Info) bool { return d.Name == name })
			}
		}
		if is(name) {
			s.family = f
		}
	}
	if s.family == nil && config.IsFile(name) {
		return nil, usage.Errorf("did you mean "+simPrefix+name+"?", "unknown device %q", name)
	}
	if s.family == nil {
		return nil, usage.Unknown("device", name, Names(), "weft list devices")
	}
	if err := s.checkOptions(); err != nil {
		return nil, err
	}
	return s, s.family.Configure(s)
}

// checkOptions refuses what devices of the family have no capability for.
func (s *Spec) checkOptions() error {
	o := s.Options
	for _, x := range []struct {
		set        bool
		flag, hint string
		needs      device.Capabilities
	}{
		{len(s.Set) > 0, "--set", "", device.Parameters},
		{o.Check, "--check", "", device.Deadline},
		{o.Deadline != 0, "--deadline", "", device.Deadline},
		{o.Budget > 0, "--budget", "end a kernel there by --deadline, such as --deadline 5s", device.Budget},
		{o.Unwritten, "--allow-unwritten", "", device.Unwritten},
	} {
		if err := s.Need(x.flag, x.needs); x.set && err != nil {
			if x.hint != "" {
				err.(*usage.Error).Hint = x.hint
			}
			return err
		}
	}
	if o.Deadline < 0 {
		return usage.Errorf("", "--deadline: %v is negative", o.Deadline)
	}
	return nil
}

// Can returns what the device can do when it is open.
func (s *Spec) Can() device.Capabilities { return s.family.Can }

// Need refuses a device that lacks a capability that what asks for, and says
// which devices have it: "--pprof: device func does not show where its time goes".
func (s *Spec) Need(what string, need device.Capabilities) error {
	lacks := s.Can().Lacks(need)
	if lacks == "" {
		return nil
	}
	hint := ""
	for _, f := range families {
		if f.Can.Has(need) {
			hint = f.Phrase
			break
		}
	}
	return usage.Errorf(hint, "%s: device %s %s", what, s.Name, lacks)
}

// Number returns the value of a parameter of the device, such as "sm.count"; ok
// is false where it has no such number.
func (s *Spec) Number(path string) (value float64, ok bool) {
	if s.parameter == nil {
		return 0, false
	}
	text, err := s.parameter(path)
	if err != nil {
		return 0, false
	}
	value, err = strconv.ParseFloat(text, 64)
	return value, err == nil
}

// Machine returns every parameter of a simulated machine by name, and the hash
// of them all; nil for other devices.
func (s *Spec) Machine() (values map[string]any, hash string) {
	if s.machine == nil {
		return nil, ""
	}
	return s.machine.Values(), s.machine.Hash()
}

// Files are those that say what the device is: a machine's file, its base and so on.
func (s *Spec) Files() []string {
	if s.machine == nil {
		return nil
	}
	return s.machine.Files()
}

// Record returns the name of the GPU that the device simulates, or is, in
// package results; "" where it is like none, or that GPU was never recorded.
func (s *Spec) Record(ctx context.Context) (string, error) {
	if s.record == nil {
		return "", nil
	}
	return s.record(ctx)
}

// Overrides are the parameters that were set; nil for none.
func (s *Spec) Overrides() map[string]string {
	if len(s.Set) == 0 {
		return nil
	}
	m := map[string]string{}
	for _, a := range s.Set {
		m[a.Path] = a.Value
	}
	return m
}

// Watch is what somebody wants to know of a device while it runs and
// afterwards. Each that is set needs a capability.
type Watch struct {
	Progress func(sim.Progress) // of simulated launches; other devices never call it
	Profile  *profile.Profile   // filled
	Trace    *profile.Trace     // filled
	Detail   *Detail            // which launches are simulated at cycle level; counts them
	Page     *Page              // serves it while the device is open
}

// Page is a page in a browser that shows the device.
type Page struct {
	Address string // of this machine, to listen at
	Port    int
	Started func(url string) // told where it is
}

// Open makes the device. What goes on beside its launches, such as a page, ends with ctx
// or when the device is closed.
func (s *Spec) Open(ctx context.Context, w Watch) (device.Device, error) { return Opener(ctx, s, w) }

// Opener makes the devices; tests put others in its place, whose launches fail.
var Opener = func(ctx context.Context, s *Spec, w Watch) (device.Device, error) { return s.open(ctx, w) }

// parseSet splits "sm.count=16,l2.latency=200".
func parseSet(texts []string) ([]Setting, error) {
	var set []Setting
	var paths []string
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			path, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok || path == "" || value == "" {
				return nil, usage.Errorf("write --set PARAMETER=VALUE,..., such as --set sm.count=16,l2.latency=200", "--set: %q is not PARAMETER=VALUE", part)
			}
			set, paths = append(set, Setting{path, value}), append(paths, path)
		}
	}
	return set, usage.Once("set", paths)
}
