package counter

import "github.com/weft-gpu/weft/device"

// Reported returns a counter as devices report it, with the unit and the meaning from the table. It panics if the table
// does not have the counter.
func Reported(name string, value float64) device.Counter {
	c := Must(name)
	return device.Counter{Name: name, Unit: c.Unit, Desc: c.Desc, Value: value}
}

// Copied returns the counters of the bytes copied by Write and Read.
func Copied(toDevice, toHost uint64) []device.Counter {
	return []device.Counter{Reported(device.BytesToDevice, float64(toDevice)), Reported(device.BytesToHost, float64(toHost))}
}
