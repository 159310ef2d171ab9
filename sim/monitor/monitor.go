package monitor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/sim"
)

// MinPort is the smallest port at which the page can be served: lower ports are reserved for system services.
const MinPort = 1024

// Loopback is the address that only this machine can reach.
const Loopback = "127.0.0.1"

// Monitor serves the page of one simulated GPU.
type Monitor struct {
	ctx    context.Context // of the run; when it ends, a paused simulation continues
	engine akita.Engine
	server *http.Server
	addr   net.Addr
	unhook func() bool

	pausing sync.Mutex // held while the engine pauses or continues

	mu       sync.Mutex // guards the following fields
	status   *status
	bar      bar
	kernel   string
	cycles   uint64
	blocks   int
	launches int
}

// status is the state of the GPU that the page shows, as fields of a component.
type status struct {
	*akita.ComponentBase
	Launches     uint64 // launches that have begun, as far as the monitor has seen
	Cycles       uint64 // of the launch
	Instructions uint64 // warp instructions, of all launches
	BlocksDone   uint64 // of the launch
	Blocks       uint64
}

// bar is a progress bar in the page's format.
type bar struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Start    time.Time `json:"start_time"`
	Total    uint64    `json:"total"`
	Finished uint64    `json:"finished"`
	Begun    uint64    `json:"in_progress"`
}

// Start serves the page of d at an address of this machine and a port, from MinPort to 65535, until Close. An empty
// address means Loopback. When ctx ends, a paused simulation continues, so that it sees that ctx has ended, and it
// cannot be paused any more.
func Start(ctx context.Context, d *sim.Device, address string, port int) (*Monitor, error) {
	if port < MinPort || port > 65535 {
		return nil, fmt.Errorf("monitor: port %d is not from %d to 65535", port, MinPort)
	}
	if address == "" {
		address = Loopback
	}
	l, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	m := &Monitor{ctx: ctx, engine: d.Engine(), addr: l.Addr(), status: &status{ComponentBase: akita.NewComponentBase("GPU")}}
	m.server = &http.Server{
		Handler:           m.handler(address),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // errors of clients do not concern the user of the simulation
	}
	m.unhook = context.AfterFunc(ctx, m.resume)
	go func() {
		if err := m.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			m.resume() // the page cannot continue it any more
		}
	}()
	return m, nil
}

// URL returns the address of the page.
func (m *Monitor) URL() string { return "http://" + m.addr.String() + "/" }

// Close ends the server, and continues the simulation if it is paused.
func (m *Monitor) Close() error {
	m.unhook()
	err := m.server.Close()
	m.resume()
	return err
}

// pause stops the simulation at its next step; it returns false if the run is ending.
func (m *Monitor) pause() bool {
	m.pausing.Lock()
	defer m.pausing.Unlock()
	if m.ctx.Err() != nil {
		return false
	}
	m.engine.Pause()
	return true
}

func (m *Monitor) resume() {
	m.pausing.Lock()
	defer m.pausing.Unlock()
	m.engine.Continue()
}

// Progress updates the progress that the page shows. It is called from the goroutine of the simulation, as
// sim.Options.Progress.
func (m *Monitor) Progress(p sim.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.launches == 0 || p.Kernel != m.kernel || p.Cycles < m.cycles || p.Blocks < m.blocks {
		m.launches++
		m.bar = bar{ID: strconv.Itoa(m.launches), Name: p.Kernel + ": blocks", Start: time.Now(), Total: uint64(p.Grid)}
		m.kernel = p.Kernel
	}
	m.bar.Finished = uint64(p.Blocks)
	m.cycles, m.blocks = p.Cycles, p.Blocks
	s := m.status
	s.Launches, s.Cycles, s.Instructions = uint64(m.launches), p.Cycles, p.Instructions
	s.BlocksDone, s.Blocks = uint64(p.Blocks), uint64(p.Grid)
}

// Handle does nothing: no events are scheduled for a status.
func (*status) Handle(akita.Event) error { return nil }

// NotifyRecv does nothing: a status has no ports.
func (*status) NotifyRecv(akita.VTimeInSec, akita.Port) {}

// NotifyPortFree does nothing: a status has no ports.
func (*status) NotifyPortFree(akita.VTimeInSec, akita.Port) {}
