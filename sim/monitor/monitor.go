// Package monitor shows a running simulation in a browser: the web page of
// Akita's monitor, which pauses and continues the simulation, shows how far it
// is, and profiles the simulator.
//
// It is a package of its own because Akita's monitor brings a database that is
// written in C. Nothing here uses it, so the package works without cgo, too.
package monitor

import (
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/sarchlab/akita/v3/monitoring"
	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/sim"
)

// MinPort is the smallest port that Akita's monitor takes.
const MinPort = 1024

// Monitor is the page of one simulated GPU.
type Monitor struct {
	page     *monitoring.Monitor
	status   *status
	bar      *monitoring.ProgressBar
	kernel   string
	cycles   uint64
	blocks   int
	launches int
}

// status is what the page shows of the GPU, as fields of a component.
type status struct {
	*akita.ComponentBase
	Launches     uint64 // that began, as far as the monitor has seen
	Cycles       uint64 // of the launch
	Instructions uint64 // warp instructions, of all launches
	BlocksDone   uint64 // of the launch
	Blocks       uint64
}

// Handle does nothing: nobody schedules events for a status.
func (*status) Handle(akita.Event) error { return nil }

// NotifyRecv does nothing: a status has no ports.
func (*status) NotifyRecv(akita.VTimeInSec, akita.Port) {}

// NotifyPortFree does nothing: a status has no ports.
func (*status) NotifyPortFree(akita.VTimeInSec, akita.Port) {}

// started: Akita's monitor serves on the process's default mux, so there can
// be one.
var started struct {
	sync.Mutex
	done bool
}

// Start serves the page of d at a port, from MinPort to 65535, on all network
// interfaces of this machine, until the process ends. There can be one monitor
// in a process.
func Start(d *sim.Device, port int) (*Monitor, error) {
	if port < MinPort || port > 65535 {
		return nil, fmt.Errorf("monitor: port %d is not from %d to 65535", port, MinPort)
	}
	started.Lock()
	defer started.Unlock()
	if started.done {
		return nil, fmt.Errorf("monitor: there is one already in this process")
	}
	// Akita ends the process where the port is taken: look first.
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	if err := l.Close(); err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	started.done = true
	m := &Monitor{page: monitoring.NewMonitor().WithPortNumber(port), status: &status{ComponentBase: akita.NewComponentBase("GPU")}}
	m.page.RegisterEngine(d.Engine())
	m.page.RegisterComponent(m.status)
	m.page.StartServer()
	return m, nil
}

// Progress tells the page how far the simulation is. It is called from the
// goroutine of the simulation, as sim.Options.Progress.
func (m *Monitor) Progress(p sim.Progress) {
	if m.bar == nil || p.Kernel != m.kernel || p.Cycles < m.cycles || p.Blocks < m.blocks {
		if m.bar != nil {
			m.page.CompleteProgressBar(m.bar)
		}
		m.launches++
		m.bar = m.page.CreateProgressBar(fmt.Sprintf("%s: blocks", p.Kernel), uint64(p.Grid))
		m.kernel, m.blocks = p.Kernel, 0
	}
	m.bar.IncrementFinished(uint64(p.Blocks - m.blocks))
	m.cycles, m.blocks = p.Cycles, p.Blocks
	s := m.status
	s.Launches, s.Cycles, s.Instructions = uint64(m.launches), p.Cycles, p.Instructions
	s.BlocksDone, s.Blocks = uint64(p.Blocks), uint64(p.Grid)
}
