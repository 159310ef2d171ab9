package devices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/monitor"
	"github.com/weft-gpu/weft/sim/policy"
)

// simPrefix is the prefix of the names of simulated machines.
const simPrefix = "sim:"

// IndependentNote marks machines with independent thread scheduling in lists.
const IndependentNote = "diverged lanes of a warp progress independently (sm.divergence=its); machines without this note have a reconvergence stack"

// simulated returns the family of the simulated machines: the presets and the
// user's machine files.
func simulated() Family {
	return Family{
		Name:   "sim",
		Phrase: usage.Say("name a simulated machine by %s, such as sim:h200", option.Device),
		Can:    sim.Capabilities,
		Groups: sim.GroupCapabilities,
		List: func() (list []Info) {
			for _, p := range config.Presets() {
				d := Info{Name: simPrefix + p, What: "cycle-level simulation: " + config.Title(p)}
				if m, err := config.Load(p); err == nil && m.SM.Divergence == "its" {
					d.Note = IndependentNote
				}
				list = append(list, d)
			}
			return list
		},
		Is: func(name string) bool {
			machine, ok := strings.CutPrefix(name, simPrefix)
			return ok && IsMachine(machine)
		},
		More:      "sim:./my.yaml is a machine of your own; \"weft list parameters h200 --yaml\" prints a file to start from",
		Configure: configureSim,
	}
}

// IsMachine reports whether name is the name of a simulated machine without
// "sim:": a preset's name, or that of a file, which need not exist.
func IsMachine(name string) bool {
	return config.IsFile(name) || slices.Contains(config.Presets(), name)
}

// Machine returns the name of a simulated machine without the prefix "sim:",
// which users may write or omit.
func Machine(name string) string { return strings.TrimPrefix(name, simPrefix) }

func configureSim(s *Spec) error {
	name := Machine(s.One)
	machine, err := config.Load(name)
	if err != nil {
		return err
	}
	for _, a := range s.Set {
		if err := machine.Set(a.Path, a.Value); err != nil {
			return usage.Errorf("\"weft list parameters\" explains all", "%s: %v", option.Set, err)
		}
	}
	if err := machine.Validate(); err != nil {
		return usage.Errorf("\"weft list parameters\" explains all", "%s: %v", option.Set, err)
	}
	s.parameter = machine.Get
	s.machine = machine
	s.record = func(context.Context) (string, error) {
		if config.IsFile(name) || s.GPUs > 1 {
			return "", nil // it models nothing of which the runs of one GPU were recorded
		}
		return name, nil
	}
	s.open = func(ctx context.Context, s *Spec, w Watch) (device.Device, error) {
		var page *monitor.Monitor
		progress := w.Progress
		if w.Page != nil {
			progress = func(p sim.Progress) {
				page.Progress(p)
				if w.Progress != nil {
					w.Progress(p)
				}
			}
		}
		o := sim.Options{Seed: s.seed(), Budget: s.Options.Budget, Threads: s.threads(), Sample: s.Options.Sample, Control: s.Options.Control, Progress: progress,
			Strict: s.Options.Strict == Strict, Serial: s.Options.Serial, Races: w.Races, Profile: w.Profile, Trace: w.Trace, Registers: recordedRegisters(machine.SM.RegistersFrom)}
		if s.GPUs > 0 {
			g, err := sim.NewGroup(machine, s.GPUs, o)
			if err != nil {
				return nil, fmt.Errorf("device %s: %w", s.Name, err)
			}
			return g, nil
		}
		dev, err := sim.New(machine, o)
		if err != nil {
			return nil, fmt.Errorf("device %s: %w", s.Name, err)
		}
		var d Simulated = dev
		if w.Detail != nil {
			d = newMixed(dev, w.Detail)
		}
		if w.Page != nil {
			signals.OwnPipes() // the pipes of its connections
			if page, err = monitor.Start(ctx, dev, w.Page.Address, w.Page.Port); err != nil {
				return nil, errors.Join(err, dev.Close())
			}
			w.Page.Started(page.URL())
			d = &paged{d, page}
		}
		return d, nil
	}
	return nil
}

// seed returns the seed of the machine: that of the schedule, if it has one.
func (s *Spec) seed() uint64 {
	if o, ok := s.Options.Control.(*policy.Schedule); ok && o.Seed != nil {
		return *o.Seed
	}
	return s.Options.Seed
}

// Simulated has the methods of simulated machines that other devices lack.
// Devices with capability CycleLevel implement it.
type Simulated interface {
	device.Device
	device.Concurrent
	device.Nester
	Config() *config.GPU
	MemoryUsed() uint64
	Sampled() *sim.Sampled
}

// paged is a simulated machine with a page that shows it.
type paged struct {
	Simulated
	page *monitor.Monitor
}

// Close closes the device and the page.
func (p *paged) Close() error {
	_ = p.page.Close() // the device's work is done, so an error of the page does not matter
	return p.Simulated.Close()
}

// recordedRegisters returns the registers per thread that ptxas assigned to our
// kernels for the GPU that sm.registers_from names; nil if there is no record.
// The kernels of schemes have a record of their own, which is newer than that of
// all kernels and counts where both have one.
func recordedRegisters(gpu string) func(kernel string) int {
	h, err := results.Load(gpu)
	if err != nil {
		return nil
	}
	registers := map[string]int{}
	for _, k := range h.Kernels {
		registers[k.Name] = k.Registers
	}
	for _, k := range h.Needs {
		registers[k.Kernel] = k.Registers
	}
	return func(kernel string) int { return registers[kernel] }
}
