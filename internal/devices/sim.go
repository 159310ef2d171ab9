package devices

import (
	"context"
	"errors"
	"fmt"
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

// simulated is the family of the simulated machines, a preset each.
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
			preset, ok := strings.CutPrefix(name, simPrefix)
			return ok && IsPreset(preset)
		},
		Configure: configureSim,
	}
}

// IsPreset reports the name of a simulated machine without "sim:".
func IsPreset(name string) bool {
	for _, p := range config.Presets() {
		if p == name {
			return true
		}
	}
	return false
}

// Preset is a simulated machine's name without "sim:", which users may write.
func Preset(name string) string { return strings.TrimPrefix(name, simPrefix) }

func configureSim(s *Spec) error {
	preset := Preset(s.Name)
	machine, err := config.Load(preset)
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
	s.record = func(context.Context) (string, error) { return preset, nil }
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
			Profile: w.Profile, Trace: w.Trace, Registers: recordedRegisters(preset)})
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
