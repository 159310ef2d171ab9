package device

import "github.com/weft-gpu/weft/internal/counter"

// Names of the counters of bytes copied, which every device has in Total. No
// profiler counts them.
const (
	BytesToDevice = counter.BytesToDevice
	BytesToHost   = counter.BytesToHost
)

// CopyCounters are the counters of bytes that Write and Read copied.
func CopyCounters(toDevice, toHost uint64) []Counter {
	return []Counter{CounterOf(BytesToDevice, float64(toDevice)), CounterOf(BytesToHost, float64(toHost))}
}

// CounterOf is a value of a counter that the table of counters has; one of another name
// has neither unit nor meaning.
func CounterOf(name string, value float64) Counter {
	c := Counter{Name: name, Value: value}
	if row, ok := counter.Find(name); ok {
		c.Unit, c.Desc = row.Unit, row.Desc
	}
	return c
}
