package device

import "context"

// Wrapper is the base of a device that wraps another one: embed it, and override what the
// wrapper does differently. It also has the methods of Concurrent, Asker, Nester and Group, so that a
// device loses nothing by being wrapped; the capabilities say what the wrapped one can do.
//
// A wrapper that overrides Launch must override LaunchAll, LaunchRead, LaunchChain, Run and GPU too: those
// of Wrapper go to the wrapped device.
type Wrapper struct{ Device }

// group returns the wrapped device as a Group.
func (w Wrapper) group() Group { return Alone(w.Device) }

// LaunchAll is that of the wrapped device.
func (w Wrapper) LaunchAll(ctx context.Context, ls []Launch) ([]*Report, error) {
	return LaunchAll(ctx, w.Device, ls)
}

// LaunchRead is that of the wrapped device.
func (w Wrapper) LaunchRead(ctx context.Context, l Launch, a Answer) (*Report, error) {
	return LaunchRead(ctx, w.Device, l, a)
}

// LaunchChain is that of the wrapped device.
func (w Wrapper) LaunchChain(ctx context.Context, c Chain) ([]Started, error) {
	return LaunchChain(ctx, w.Device, c)
}

// Ready is that of the wrapped device.
func (w Wrapper) Ready(ctx context.Context, l Launch) (Launch, error) {
	return Ready(ctx, w.Device, l)
}

// ReadyList is that of the wrapped device.
func (w Wrapper) ReadyList(ctx context.Context, cmds []Command) ([]Command, error) {
	return ReadyList(ctx, w.Device, cmds)
}

// Known is that of the wrapped device.
func (w Wrapper) Known() float64 { return Known(w.Device) }

// HostStep is that of the wrapped device.
func (w Wrapper) HostStep() { HostStep(w.Device) }

// HostWork is that of the wrapped device.
func (w Wrapper) HostWork() HostWork { return HostWorkOf(w.Device) }

// Fit is that of the wrapped device.
func (w Wrapper) Fit(l Launch) (Occupancy, error) { return Fit(w.Device, l) }

// Copy is that of the wrapped device.
func (w Wrapper) Copy(ctx context.Context, c Copy) error { return copyOn(ctx, w.Device, c) }

// Variable is that of the wrapped device.
func (w Wrapper) Variable(v *Variable) (Buffer, error) { return VariableOn(w.Device, v) }

// RemoteUses is that of the wrapped device.
func (w Wrapper) RemoteUses() []RemoteUse { return RemoteUses(w.Device) }

// GPUs is that of the wrapped device.
func (w Wrapper) GPUs() int { return w.group().GPUs() }

// GPU is that of the wrapped device.
func (w Wrapper) GPU(i int) Device { return w.group().GPU(i) }

// Where is that of the wrapped device.
func (w Wrapper) Where(b Buffer) (int, error) { return w.group().Where(b) }

// Peer is that of the wrapped device.
func (w Wrapper) Peer(from, to int) Peer { return w.group().Peer(from, to) }

// Run is that of the wrapped device.
func (w Wrapper) Run(ctx context.Context, cmds []Command) ([]Timing, error) {
	return w.group().Run(ctx, cmds)
}

// Links is that of the wrapped device.
func (w Wrapper) Links() []LinkUse { return w.group().Links() }
