package device

// Fit returns how a launch fits on an SM: with its registers and its dynamic shared memory, if
// the device takes them into account, else as Occupancy.
func Fit(d Device, l Launch) (Occupancy, error) {
	if f, ok := d.(interface {
		Fit(l Launch) (Occupancy, error)
	}); ok {
		return f.Fit(l)
	}
	return d.Occupancy(l.Kernel, l.Shape().Threads())
}

// Resident returns how many blocks the device holds at the same time.
func (o Occupancy) Resident() int { return o.BlocksPerSM * o.SMs }
