package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/exec"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/profile"
)

// funcName is the functional device; simPrefix starts the names of simulated machines.
const (
	funcName  = "func"
	simPrefix = "sim:"
)

// independentNote says which machines have independent thread scheduling.
const independentNote = "diverged lanes of a warp progress independently (sm.divergence=its); machines without this note have a reconvergence stack"

// deviceInfo describes a device that can be named.
type deviceInfo struct {
	Name string `json:"name"`
	What string `json:"what"`
	Note string `json:"note,omitempty"`
}

// devices are those that --device takes, the default first.
func devices() []deviceInfo {
	list := []deviceInfo{}
	for _, p := range config.Presets() {
		d := deviceInfo{Name: simPrefix + p, What: "cycle-level simulation: " + config.Title(p)}
		if m, err := config.Load(p); err == nil && m.SM.Divergence == "its" {
			d.Note = independentNote
		}
		list = append(list, d)
	}
	return append(list, deviceInfo{Name: funcName,
		What: "functional executor: right answers and instruction counts, no time; every check on"},
		deviceInfo{Name: "hw", What: "a real NVIDIA GPU through its driver; hw:1 is the second"})
}

func deviceNames() (names []string) {
	for _, p := range config.Presets() {
		names = append(names, simPrefix+p)
	}
	return append(names, funcName, "hw")
}

// setting is one --set assignment.
type setting struct{ path, value string }

// parseSet splits "sm.count=16,l2.latency=200".
func parseSet(texts []string) ([]setting, error) {
	var set []setting
	var paths []string
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			path, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok || path == "" || value == "" {
				return nil, usage.Errorf("write --set PARAMETER=VALUE,..., such as --set sm.count=16,l2.latency=200", "--set: %q is not PARAMETER=VALUE", part)
			}
			set, paths = append(set, setting{path, value}), append(paths, path)
		}
	}
	return set, usage.Once("set", paths)
}

// deviceSpec is a device as the user named it, checked but not opened.
type deviceSpec struct {
	name    string
	machine *config.GPU // nil for func
	set     []setting
	seed    uint64
	gpu     int // index of a real GPU, else -1
	hw      hw.Options
	profile *profile.Profile // of a simulated machine, where asked for
	trace   *profile.Trace   // the same
	budget  uint64           // of a launch: cycles, or on func warp instructions; 0 for no limit
	// unwritten lets kernels on func read words that nobody has written.
	unwritten bool
}

// real reports a GPU, not a simulated one.
func (d *deviceSpec) real() bool { return d.gpu >= 0 }

// gpuIndex is the number in "hw" (0) or "hw:1"; -1 for other names.
func gpuIndex(name string) int {
	if name == "hw" {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(name, "hw:"))
	if !strings.HasPrefix(name, "hw:") || err != nil || n < 0 {
		return -1
	}
	return n
}

// parseDevice checks --device, --set and --seed.
func parseDevice(name string, set []string, seed uint64) (*deviceSpec, error) {
	d := &deviceSpec{name: name, seed: seed, gpu: gpuIndex(name)}
	var err error
	if d.set, err = parseSet(set); err != nil {
		return nil, err
	}
	if d.real() {
		if len(d.set) > 0 {
			return nil, usage.Errorf("name a simulated machine by --device, such as sim:h200", "--set: device %s is a real GPU", name)
		}
		return d, nil
	}
	if !slices.Contains(deviceNames(), name) {
		return nil, usage.Unknown("device", name, deviceNames(), "weft list devices")
	}
	if name == funcName {
		if len(d.set) > 0 {
			return nil, usage.Errorf("name a simulated machine by --device, such as sim:h200", "--set: device func has no parameters")
		}
		return d, nil
	}
	d.machine, err = config.Load(strings.TrimPrefix(name, simPrefix))
	if err != nil {
		return nil, err
	}
	for _, s := range d.set {
		if err := d.machine.Set(s.path, s.value); err != nil {
			return nil, usage.Errorf("\"weft list parameters\" explains all", "--set: %v", err)
		}
	}
	if err := d.machine.Validate(); err != nil {
		return nil, usage.Errorf("\"weft list parameters\" explains all", "--set: %v", err)
	}
	return d, nil
}

// openDevice makes a device; tests put others in its place, whose launches fail.
var openDevice = (*deviceSpec).make

// openGPU opens a real GPU; tests of the command line put something quicker in
// its place.
var openGPU = hw.Open

// open makes the device; tell, where not nil, hears how far a simulated launch is.
func (d *deviceSpec) open(tell func(sim.Progress)) (device.Device, error) { return openDevice(d, tell) }

func (d *deviceSpec) make(tell func(sim.Progress)) (device.Device, error) {
	if d.real() {
		ownPipes.Store(true)
		return openGPU(d.name, d.gpu, d.hw)
	}
	if d.machine == nil {
		return exec.New(exec.Options{Budget: d.budget, AllowUnwritten: d.unwritten}), nil
	}
	dev, err := sim.New(d.machine, sim.Options{Seed: d.seed, Budget: d.budget, Progress: tell, Profile: d.profile, Trace: d.trace,
		Registers: recordedRegisters(strings.TrimPrefix(d.name, simPrefix))})
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", d.name, err)
	}
	return dev, nil
}

// recordedRegisters gives the registers a thread that ptxas gave our kernels
// for the GPU of a preset; nil where that GPU was never recorded.
func recordedRegisters(preset string) func(kernel string) int {
	h, err := results.Load(preset)
	if err != nil {
		return nil
	}
	registers := map[string]int{}
	for _, k := range h.Kernels {
		registers[k.Name] = k.Registers
	}
	return func(kernel string) int { return registers[kernel] }
}

// setBudget is what --budget allows a launch.
func (d *deviceSpec) setBudget(budget uint64) error {
	if budget > 0 && d.real() {
		return usage.Errorf("end a kernel there by --deadline, such as --deadline 5s", "--budget is for simulated devices, not %s", d.name)
	}
	d.budget = budget
	return nil
}

// setUnwritten is what --allow-unwritten asks of func.
func (d *deviceSpec) setUnwritten(allow bool) error {
	if allow && d.name != funcName {
		return usage.Errorf("other devices never refuse to read what nobody has written", "--allow-unwritten is for device func, not %s", d.name)
	}
	d.unwritten = allow
	return nil
}

// setHardware is what --check and --deadline ask of a real GPU.
func (d *deviceSpec) setHardware(check bool, deadline time.Duration) error {
	switch {
	case deadline < 0:
		return usage.Errorf("", "--deadline: %v is negative", deadline)
	case !d.real() && (check || deadline > 0):
		return usage.Errorf("simulated devices always check, and find hangs themselves", "--check and --deadline are for a real GPU, not %s", d.name)
	}
	d.hw = hw.Options{Check: check, Watchdog: deadline > 0, Deadline: deadline}
	return nil
}
