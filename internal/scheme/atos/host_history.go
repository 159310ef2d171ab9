//go:build !kernel

package atos

import (
	"errors"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// HistoryArg is a History as a launch argument.
type HistoryArg struct {
	Width         uint32
	Begin, Visits device.Buffer
}

// intervals is the number of intervals of a history.
const intervals = 4096

// history allocates the history, of one element if none is wanted.
func (l *loop) history() error {
	n := 1
	if l.h.Width = uint32(l.Params.Int("history")); l.h.Width > 0 {
		n = intervals
	}
	l.h.Begin = l.Memory.Alloc("history.Begin", device.U64, 1)
	l.h.Visits = l.Memory.Copy("history.Visits", make([]uint32, n))
	if err := l.Memory.Err(); err != nil {
		return err
	}
	return l.Device.Write(l.h.Begin, []uint64{^uint64(0)})
}

// series returns the throughput over time, as measured, and divided by the overwork of the
// run (section 6.4): what the least number of visits in the same time would be.
func (l *loop) series() ([]scheduler.Series, error) {
	if l.Params.Word("kernel") != persistentKernel || l.h.Width == 0 || l.sums[scheduler.TaskVisits] == 0 {
		return nil, nil
	}
	visits := make([]uint32, intervals)
	if err := l.Device.Read(l.h.Visits, visits); err != nil {
		return nil, err
	}
	if visits[intervals-1] > 0 {
		return nil, &scheduler.ParamError{Scheme: "atos", Param: "history",
			Err: errors.New("the run is longer than 4095 intervals; choose longer ones")}
	}
	last := 0
	for i, n := range visits {
		if n > 0 {
			last = i
		}
	}
	seconds := float64(l.h.Width) / 1e9
	raw := scheduler.Series{Name: "throughput", Unit: "vertex/s", Doc: "vertices processed per second", Interval: seconds}
	normal := scheduler.Series{Name: "normalised-throughput", Unit: "vertex/s", Doc: "throughput divided by overwork", Interval: seconds}
	more := float64(l.sums[scheduler.TaskVisits]) / float64(l.sums[scheduler.TaskDistinct])
	for _, n := range visits[:last+1] {
		x := float64(n) * 1e9 / float64(l.h.Width)
		raw.Values, normal.Values = append(raw.Values, x), append(normal.Values, x/more)
	}
	return []scheduler.Series{raw, normal}, nil
}
