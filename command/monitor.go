package command

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/monitor"
)

// watchPage is the page of a run in a browser, where --monitor asks for one.
type watchPage struct {
	port    int
	address string
	page    *monitor.Monitor
}

// check refuses what cannot be watched, before anything starts.
func (w *watchPage) check(spec *deviceSpec) error {
	switch {
	case w.port == 0 && w.address != monitor.Loopback:
		return usage.Errorf("such as --monitor 8080", "--monitor-address goes with --monitor only")
	case w.port == 0:
		return nil
	case spec.machine == nil:
		return usage.Errorf("name a simulated machine by --device, such as sim:h200", "--monitor: device %s is not simulated", spec.name)
	case w.port < monitor.MinPort || w.port > 65535:
		return usage.Errorf("", "--monitor: port %d is not from %d to 65535", w.port, monitor.MinPort)
	case net.ParseIP(w.address) == nil && w.address != "localhost":
		return usage.Errorf("such as 127.0.0.1, or 0.0.0.0 for all interfaces", "--monitor-address: %q is not an IP address", w.address)
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

// start serves the page, where one is asked for, until close, and says where it is.
func (w *watchPage) start(ctx context.Context, dev device.Device, say io.Writer) (err error) {
	s, ok := dev.(*sim.Device)
	if !ok || w.port == 0 {
		return nil
	}
	ownPipes.Store(true) // of the connections
	if w.page, err = monitor.Start(ctx, s, w.address, w.port); err == nil {
		fmt.Fprintf(say, "weft: the simulation is shown at %s\n", w.page.URL())
	}
	return err
}

// close ends the page.
func (w *watchPage) close() {
	if w.page != nil {
		_ = w.page.Close() // the run is over: nobody has a use for the page's error
	}
}
