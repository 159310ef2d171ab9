package devices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/signals"
	"github.com/weft-gpu/weft/internal/simt"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/monitor"
)

// simPrefix starts the names of simulated machines.
const simPrefix = "sim:"

// IndependentNote says which machines have independent thread scheduling.
const IndependentNote = "diverged lanes of a warp progress independently (sm.divergence=its); machines without this note have a reconvergence stack"

// simulated returns the family of the simulated machines: the presets, and
// files of the user's own.
func simulated() Family {
	return Family{
		Name:   "sim",
		Phrase: "name a simulated machine by --device, such as sim:h200",
		Can:    sim.Capabilities,
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

// IsMachine reports the name of a simulated machine without "sim:": a preset's, or
// that of a file, which need not exist.
func IsMachine(name string) bool {
	return config.IsFile(name) || slices.Contains(config.Presets(), name)
}

// Machine returns a simulated machine's name without "sim:", which users may
// write.
func Machine(name string) string { return strings.TrimPrefix(name, simPrefix) }

func configureSim(s *Spec) error {
	name := Machine(s.Name)
	machine, err := config.Load(name)
	if err != nil {
		return err
	}
	for _, a := range s.Set {
		if err := machine.Set(a.Path, a.Value); err != nil {
			return usage.Errorf("\"weft list parameters\" explains all", "--set: %v", err)
		}
	}
	if err := machine.Validate(); err != nil {
		return usage.Errorf("\"weft list parameters\" explains all", "--set: %v", err)
	}
	s.parameter = machine.Get
	s.machine = machine
	s.record = func(context.Context) (string, error) {
		if config.IsFile(name) {
			return "", nil // it is like no GPU that was recorded
		}
		return name, nil
	}
	s.open = func(ctx context.Context, w Watch) (device.Device, error) {
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
		dev, err := sim.New(machine, sim.Options{Seed: s.Options.Seed, Budget: s.Options.Budget, Progress: progress,
			Profile: w.Profile, Trace: w.Trace, Registers: recordedRegisters(machine.SM.RegistersFrom)})
		if err != nil {
			return nil, fmt.Errorf("device %s: %w", s.Name, err)
		}
		var d Simulated = dev
		if w.Detail != nil {
			d = newMixed(dev, w.Detail)
		}
		if w.Page != nil {
			signals.OwnPipes() // of the connections
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

// Simulated is what simulated machines have beyond other devices: those whose
// capabilities have CycleLevel.
type Simulated interface {
	device.Device
	device.Concurrent
	Config() *config.GPU
	Memory() *simt.Memory
}

// paged is a simulated machine with a page that shows it.
type paged struct {
	Simulated
	page *monitor.Monitor
}

// Close ends the page, too.
func (p *paged) Close() error {
	_ = p.page.Close() // the device's work is done: nobody has a use for the page's error
	return p.Simulated.Close()
}

// recordedRegisters returns the registers per thread that ptxas gave our
// kernels for a GPU, as sm.registers_from names it; nil where that is none.
func recordedRegisters(gpu string) func(kernel string) int {
	h, err := results.Load(gpu)
	if err != nil {
		return nil
	}
	registers := map[string]int{}
	for _, k := range h.Kernels {
		registers[k.Name] = k.Registers
	}
	return func(kernel string) int { return registers[kernel] }
}
