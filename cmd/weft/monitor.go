package main

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/monitor"
)

// watchPage is the page of a run in a browser, where --monitor asks for one.
type watchPage struct {
	port int
	page *monitor.Monitor
}

// check refuses what cannot be watched, before anything starts.
func (w *watchPage) check(spec *deviceSpec) error {
	switch {
	case w.port == 0:
		return nil
	case spec.machine == nil:
		return usagef("name a simulated machine by --device, such as sim:h200", "--monitor: device %s is not simulated", spec.name)
	case w.port < monitor.MinPort || w.port > 65535:
		return usagef("", "--monitor: port %d is not from %d to 65535", w.port, monitor.MinPort)
	}
	return nil
}

// tell passes progress on to the page, too.
func (w *watchPage) tell(next func(sim.Progress)) func(sim.Progress) {
	if w.port == 0 {
		return next
	}
	return func(p sim.Progress) {
		if w.page != nil {
			w.page.Progress(p)
		}
		next(p)
	}
}

// start serves the page, where one is asked for.
func (w *watchPage) start(dev device.Device) (err error) {
	if s, ok := dev.(*sim.Device); ok && w.port != 0 {
		w.page, err = monitor.Start(s, w.port)
	}
	return err
}
