package hw

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/closing"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// holder is a child process with the GPUs that it holds.
type holder struct {
	numbers []int  // of the GPUs, as the driver counts
	group   *Group // whose GPUs they are; nil for a single one
	gpus    []*Device
	calls   closing.Calls
	child   *child         // nil if there is none
	addr    map[int]uint64 // allocation ID to address on its GPU
	peers   [][]worker.Peer
	marks   uint32        // number of answers so far
	apart   time.Duration // time excluded from Now
	known   float64       // see Known
	arena   int           // how many bytes of the arena are ready for use
}

// add adds a GPU before the start.
func (h *holder) add(name string, opts Options) *Device {
	if opts.Watchdog && opts.Deadline == 0 {
		opts.Deadline = 10 * time.Second
	}
	d := &Device{holder: h, name: name, gpu: len(h.gpus), opts: opts}
	h.gpus = append(h.gpus, d)
	return d
}

// start starts a child with empty memories.
func (h *holder) start(ctx context.Context) error {
	arena := 0
	if h.group != nil {
		arena = worker.Arena
	}
	c, err := startChild(arena)
	if err != nil {
		return err
	}
	var o worker.Opened
	f, err := c.ask(ctx, 0, worker.OpOpen, h.numbers, &o)
	if err != nil {
		c.end(true)
		return fmt.Errorf("opening GPU %s: %w", h.list(), err)
	}
	if f != nil {
		c.end(false)
		return asError(f, "open")
	}
	h.child, h.peers, h.addr, h.arena = c, o.Peers, map[int]uint64{}, 0
	if h.group != nil {
		h.group.readiedList = readiedList{} // it was described to the child before
	}
	var sizes []uint64
	for _, info := range o.GPUs {
		sizes = append(sizes, info.Memory)
	}
	for i, m := range simt.NewVirtualMemories(&h.calls, sizes...) {
		d := h.gpus[i]
		m.Real = func(a *simt.Allocation) uint64 { return h.addr[a.ID] }
		d.info, d.mem, d.code, d.roots, d.cleared, d.shared = o.GPUs[i], m, map[codeKey]*code{}, map[*ir.Program][]bool{}, [maxCleared]cleared{}, map[uint64]bool{}
		d.readied = readied{}
		d.native, d.frees, d.tensorMaps = newNativeCode(), map[int]func(uint64) error{}, map[worker.TensorMapArgs]worker.TensorMap{}
	}
	return nil
}

// list returns the numbers of the GPUs: "0,1".
func (h *holder) list() string {
	var words []string
	for _, n := range h.numbers {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// outcome converts the result of a request to an error. After an error that makes a context unusable, a new child
// takes over, with empty memories.
func (h *holder) outcome(during string) func(*worker.Failure, error) error {
	return func(f *worker.Failure, err error) error {
		if err != nil {
			return errors.Join(err, h.restart())
		}
		if f != nil && f.Sticky {
			return errors.Join(asError(f, during), h.restart())
		}
		return asError(f, during)
	}
}

// restart ends the child and starts another one, unless the device is closed.
func (h *holder) restart() error {
	h.child.end(true)
	h.child = nil
	h.gpus[0].mem.Drop()
	if h.calls.Closed() {
		return nil
	}
	if err := h.start(context.Background()); err != nil {
		return fmt.Errorf("hw: no new child after the error: %w", err)
	}
	return nil
}

// close ends the child when no call is in progress.
func (h *holder) close() (err error) {
	h.calls.Close(func() {
		if h.child != nil {
			h.child.end(false)
			h.child = nil
			h.gpus[0].mem.Drop()
		}
		if d := h.gpus[0]; d.stages != nil {
			err, d.stages = d.stages.close(), nil
		}
	})
	return err
}

// Now returns the wall-clock time in seconds, not including the time for building kernels and allocating memory: a
// program does that before it starts.
func (h *holder) Now() float64 { return (time.Since(opened) - h.apart).Seconds() }

// Known returns the time at which the host knew the end of what it last waited for.
func (h *holder) Known() float64 { return h.known }

// opened is the time from which Now counts.
var opened = time.Now()

// aside excludes the time from start to now from Now.
func (h *holder) aside(start time.Time) { h.apart += time.Since(start) }
