package devices

import "github.com/weft-gpu/weft/device"

// lent is an open device for one run, which counts what this run does and does not close it.
type lent struct {
	device.Wrapper
	before *device.Report
}

// Lend returns an open device for one run.
func Lend(d device.Device) device.Device { return &lent{device.Wrapper{Device: d}, d.Total()} }

// Total returns what the device has done since it was lent.
func (l *lent) Total() *device.Report {
	r := *l.Device.Total()
	r.Launches -= l.before.Launches
	r.Cycles -= l.before.Cycles
	r.Seconds -= l.before.Seconds
	counters := r.Counters
	r.Counters = nil
	for _, c := range counters {
		was, _ := l.before.Counter(c.Name)
		c.Value -= was
		r.Counters = append(r.Counters, c)
	}
	return &r
}

// Close leaves the device open.
func (l *lent) Close() error { return nil }
