package device

// Names of the counters of bytes copied, which every device has in Total. No
// profiler counts them.
const (
	BytesToDevice = "host__bytes_to_device.sum"
	BytesToHost   = "host__bytes_to_host.sum"
)

// CopyCounters are the counters of bytes that Write and Read copied.
func CopyCounters(toDevice, toHost uint64) []Counter {
	return []Counter{
		{Name: BytesToDevice, Unit: "byte", Desc: "bytes copied from the host to the device", Value: float64(toDevice)},
		{Name: BytesToHost, Unit: "byte", Desc: "bytes copied from the device to the host", Value: float64(toHost)},
	}
}
