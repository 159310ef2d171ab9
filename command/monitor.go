package command

import (
	"fmt"
	"io"
	"net"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/monitor"
)

// watchPage is the web page of a run, if --monitor requests one.
type watchPage struct {
	port    int
	address string
}

// check rejects what cannot be watched, before anything starts.
func (w *watchPage) check(spec *devices.Spec) error {
	switch {
	case w.port == 0 && w.address != monitor.Loopback:
		return usage.Errorf("such as --monitor 8080", "--monitor-address goes with --monitor only")
	case w.port == 0:
		return nil
	}
	if err := spec.Need("--monitor", device.Page); err != nil {
		return err
	}
	switch {
	case w.port < monitor.MinPort || w.port > 65535:
		return usage.Errorf("", "--monitor: port %d is not from %d to 65535", w.port, monitor.MinPort)
	case net.ParseIP(w.address) == nil && w.address != "localhost":
		return usage.Errorf("such as 127.0.0.1, or 0.0.0.0 for all interfaces", "--monitor-address: %q is not an IP address", w.address)
	}
	return nil
}

// served returns the page for the device to serve, which prints its address;
// nil for none.
func (w *watchPage) served(say io.Writer) *devices.Page {
	if w.port == 0 {
		return nil
	}
	return &devices.Page{Address: w.address, Port: w.port, Started: func(url string) {
		fmt.Fprintf(say, "weft: the simulation is shown at %s\n", url)
	}}
}
