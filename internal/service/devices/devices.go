package devices

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
	"github.com/weft-gpu/weft/sim/profile"
)

// Family is a kind of device. To add one, add a file to this package and a line
// to its list of families.
type Family struct {
	// Name is the prefix of the names of its devices, up to a colon: "sim".
	Name string
	// Phrase tells a user how to name a device with a capability that another
	// device lacks: "name a simulated machine by --device, such as sim:h200".
	Phrase usage.Message
	// Can are the capabilities of its devices.
	Can device.Capabilities
	// Groups are the capabilities of groups of its devices; 0 if there are none.
	// A group of two has the name of a device with "x2" after it.
	Groups device.Capabilities
	// numbered: a group is a list of numbers instead, "hw:0,1".
	numbered bool
	// List returns the devices that lists and messages name.
	List func() []Info
	// Is reports whether name is the name of one of its devices, including
	// those that List leaves out; nil if List is complete.
	Is func(name string) bool
	// More says which devices List leaves out; "" if it is complete.
	More string
	// Configure checks the settings of s and sets the functions of s that open
	// and describe the device. Name, Options and Set are set already, and
	// options for which the family lacks the capability have been rejected.
	Configure func(s *Spec) error
}

// Info describes a device that a user can name.
type Info struct {
	Name string `json:"name"`
	What string `json:"what"`
	Note string `json:"note,omitempty"`
}

// families lists the kinds of devices in the order in which they are listed.
var families []*Family

func init() {
	for _, f := range []Family{simulated(), functional(), hardware()} {
		Register(f)
	}
}

// Register adds a kind of device. It panics if there is already one with that
// name.
func Register(f Family) {
	if slices.ContainsFunc(families, func(g *Family) bool { return g.Name == f.Name }) {
		panic(fmt.Sprintf("devices: there are two families %q", f.Name))
	}
	families = append(families, &f)
}

// List returns the devices that a user can name, the default first.
func List() (list []Info) {
	for _, f := range families {
		list = append(list, f.List()...)
	}
	return list
}

// More returns a line for each family about the devices that List leaves out.
func More() (lines []string) {
	for _, f := range families {
		if f.More != "" {
			lines = append(lines, f.More)
		}
	}
	return lines
}

// Names returns the names in List.
func Names() (names []string) {
	for _, d := range List() {
		names = append(names, d.Name)
	}
	return names
}

// Default is the device for runs for which the user chose none.
const Default = option.DefaultDevice

// Options configures how a device is opened. Each option that is set needs a
// capability.
type Options struct {
	Set       []string      // parameters: "sm.count=16,l2.latency=200", "..."
	Seed      uint64        // for random choices; devices that make none ignore it
	Budget    uint64        // limit for a launch: in cycles, or on func in warp instructions; 0 for none
	Threads   int           // of this computer that simulate a launch; 0 for all that Share leaves
	Sample    float64       // relative error of the time of kernels for which only a part is simulated; 0 simulates everything
	Unwritten bool          // let kernels read memory that has not been written
	Strict    Strictness    // end launches at what PTX leaves undefined
	Race      bool          // look for data races
	Check     bool          // keep bounds checks and division checks
	Deadline  time.Duration // for a launch; 0 for none
	GPUs      int           // opens a group of so many GPUs; 0 opens what the name says
	Serial    bool          // a simulated host waits for each of several launches that are made together, as that of a real GPU does here
	// Control decides in which order blocks are placed and which warp accesses memory next; nil: the machine does.
	Control policy.Control
}

// Strictness says whether a device ends a launch at what PTX and CUDA leave
// undefined.
type Strictness uint8

// By default the functional device is strict, and simulated machines go on as a
// GPU may.
const (
	DeviceDecides Strictness = iota
	Strict
	Lax
)

// Setting is an assignment to a parameter.
type Setting struct{ Path, Value string }

// Spec is a device as the user specified it, checked but not opened.
type Spec struct {
	Name    string // that of a group has the number of GPUs: "sim:h200x2"
	One     string // the name of one GPU: "sim:h200"; that of the group for real GPUs
	GPUs    int    // of a group; 0 if the device is not opened as a group
	Options Options
	Set     []Setting // the settings of Options, parsed

	family *Family
	share  int // see Share
	// Set by Configure; parameter and record may be nil.
	// open takes the device itself, so that a copy with other options opens with those.
	open      func(context.Context, *Spec, Watch) (device.Device, error)
	parameter func(path string) (value string, err error)
	machine   *config.GPU
	record    func(context.Context) (string, error)
}

// isRegular reports whether there is a file of this name.
func isRegular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// New checks a name and options. The error is a *usage.Error if they are
// invalid.
func New(name string, o Options) (*Spec, error) {
	s := &Spec{Name: name, Options: o}
	var err error
	if s.Set, err = parseSet(o.Set); err != nil {
		return nil, err
	}
	s.family = familyOf(name)
	if err := s.group(); err != nil {
		return nil, err
	}
	if s.family == nil && config.IsFile(name) {
		return nil, usage.Errorf("did you mean "+simPrefix+name+"?", "unknown device %q", name)
	}
	if file := strings.TrimPrefix(name, simPrefix) + ".yaml"; s.family == nil && isRegular(file) {
		return nil, usage.Errorf("did you mean "+simPrefix+"./"+file+"?", "unknown device %q", name)
	}
	if s.family == nil {
		return nil, usage.Unknown("device", name, Names(), "weft list devices")
	}
	if err := s.checkOptions(); err != nil {
		return nil, err
	}
	return s, s.family.Configure(s)
}

// checkOptions rejects options for which the family's devices lack the
// capability.
func (s *Spec) checkOptions() error {
	o := s.Options
	for _, x := range []struct {
		set    bool
		option *option.Option
	}{
		{len(s.Set) > 0, option.Set},
		{o.Check, option.Check},
		{o.Deadline != 0, option.Deadline},
		{o.Budget > 0, option.Budget},
		{o.Threads != 0, option.HostThreads},
		{o.Sample != 0, option.Sample},
		{o.Unwritten, option.Unwritten},
		{o.Strict != DeviceDecides, option.Strict},
		{o.Control != nil, controlOption(o.Control)},
		{o.Race, option.Race},
	} {
		if err := s.Need(x.option, x.option.Needs); x.set && err != nil {
			if x.option == option.Budget {
				err.(*usage.Error).Hint = usage.Say("end a kernel there by %s", ending{})
			}
			return err
		}
	}
	if o.Threads < 0 {
		return usage.Errorf("", "%s: %d is negative", option.HostThreads, o.Threads)
	}
	if err := s.checkSample(); err != nil {
		return err
	}
	if o.Deadline < 0 {
		return usage.Errorf("", "%s: %v is negative", option.Deadline, o.Deadline)
	}
	return nil
}

// Share tells a simulated device that jobs simulations run at the same time, so that each has a share of the threads of this
// computer.
func (s *Spec) Share(jobs int) { s.share = max(jobs, 1) }

// threads returns how many threads simulate a launch.
func (s *Spec) threads() int {
	if s.Options.Threads != 0 {
		return s.Options.Threads
	}
	return max(runtime.GOMAXPROCS(0)/max(s.share, 1), 1)
}

// ending is the option that ends a kernel on a real GPU. A specification has none: the command that runs it ends its points.
type ending struct{}

// In names the option as a caller does, with an example.
func (ending) In(c usage.Caller) string {
	if c == usage.Specification {
		return usage.Say("%s, such as %s", option.Timeout, option.Timeout.With("10m")).In(c)
	}
	return usage.Say("%s, such as %s", option.Deadline, option.Deadline.With("5s")).In(c)
}

// controlOption returns the option that a policy.Control comes from.
func controlOption(c policy.Control) *option.Option {
	if _, ok := c.(*policy.Model); ok {
		return option.ProgressModel
	}
	return option.Schedule
}

// Can returns the capabilities of the device when it is open.
func (s *Spec) Can() device.Capabilities {
	if s.GPUs > 0 {
		return s.family.Groups
	}
	if s.machine != nil && s.machine.Launch.Device > 0 {
		return s.family.Can | device.Nested
	}
	return s.family.Can
}

// Need returns an error if the device lacks a capability that the feature what
// needs, which is a text or an option. The error says which devices have it:
// "--pprof: device func does not show where its time goes".
func (s *Spec) Need(what any, need device.Capabilities) error {
	lacks := s.Can().Lacks(need)
	if lacks == "" {
		return nil
	}
	if s.GPUs > 0 && s.family.Can.Has(need) {
		return s.oneOnly(what, "works on")
	}
	var hint usage.Message
	for _, f := range families {
		if f.Can.Has(need) {
			hint = f.Phrase
			break
		}
	}
	return usage.Errorf(hint, "%s: device %s %s", what, s.Name, lacks)
}

// Number returns the value of a numeric parameter of the device, such as
// "sm.count"; ok is false if there is no such parameter.
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

// Config returns the machine of a simulated device, which must not be changed; nil for others.
func (s *Spec) Config() *config.GPU { return s.machine }

// Draws reports whether what the device does depends on Options.Seed.
func (s *Spec) Draws() bool {
	if s.machine == nil {
		return false
	}
	switch c := s.Options.Control.(type) {
	case nil:
	case *policy.Schedule:
		if c.Seed != nil {
			return false
		}
		return c.Shuffle || s.machine.Draws()
	default:
		return true
	}
	return s.Options.Sample != 0 || s.machine.Draws()
}

// Files returns the files that define the device: a machine's file, its base
// and so on.
func (s *Spec) Files() []string {
	if s.machine == nil {
		return nil
	}
	return s.machine.Files()
}

// Record returns the name of the GPU in package results that the device
// simulates or is; "" if there is none, or if that GPU was never recorded.
func (s *Spec) Record(ctx context.Context) (string, error) {
	if s.record == nil {
		return "", nil
	}
	return s.record(ctx)
}

// Overrides returns the parameters that were set; nil if none were.
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

// Watch selects what to observe while a device runs and afterwards. Each field
// that is set needs a capability.
type Watch struct {
	Progress func(sim.Progress) // called during launches on simulated machines and on func; hardware never calls it
	Profile  *profile.Profile   // filled in
	Trace    *profile.Trace     // filled in
	Races    *device.Races      // filled in
	Detail   *Detail            // selects launches to simulate at cycle level, and counts launches
	Page     *Page              // served while the device is open
}

// Page is a web page that shows the device.
type Page struct {
	Address string // local address to listen at
	Port    int
	Started func(url string) // called with the page's URL
}

// Open opens the device. Everything that runs besides its launches, such as a
// page, ends with ctx or when the device is closed.
func (s *Spec) Open(ctx context.Context, w Watch) (device.Device, error) { return Opener(ctx, s, w) }

// Opener opens the devices; tests replace it to get devices whose launches
// fail.
var Opener = func(ctx context.Context, s *Spec, w Watch) (device.Device, error) { return s.open(ctx, s, w) }

// parseSet parses "sm.count=16,l2.latency=200".
func parseSet(texts []string) ([]Setting, error) {
	var set []Setting
	var paths []string
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			path, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok || path == "" || value == "" {
				return nil, usage.Errorf(usage.Say("write %s, such as %s", option.Set.With("PARAMETER=VALUE,..."), option.Set.With("sm.count=16,l2.latency=200")), "%s: %q is not PARAMETER=VALUE", option.Set, part)
			}
			set, paths = append(set, Setting{path, value}), append(paths, path)
		}
	}
	return set, usage.Once(option.Set, paths)
}
