package device

import (
	"context"
	"reflect"
	"slices"
)

// Answer is a few words that a host loop reads after a launch to decide how to continue,
// such as the size of the next frontier.
type Answer struct {
	Buffer Buffer
	To     any  // a slice, as for Device.Read
	Clear  bool // set the buffer to zero before the launch
}

// Asker is a device that is faster than LaunchThenRead.
type Asker interface {
	// LaunchRead does what LaunchThenRead does, with the same contents of every buffer.
	// After an error the contents of the answer's buffer are undefined.
	LaunchRead(ctx context.Context, l Launch, a Answer) (*Report, error)
}

// LaunchRead runs a kernel to its end and reads an answer. It is for host loops whose next
// step depends on what the kernel found: on a real GPU a launch followed by a separate read
// takes twice as long.
func LaunchRead(ctx context.Context, d Device, l Launch, a Answer) (*Report, error) {
	if f, ok := d.(Asker); ok {
		return f.LaunchRead(ctx, l, a)
	}
	return LaunchThenRead(ctx, d, l, a)
}

// LaunchThenRead is LaunchRead in separate steps: a Write of zeros if a.Clear is set,
// Launch, and Read. The report is that of the launch.
func LaunchThenRead(ctx context.Context, d Device, l Launch, a Answer) (*Report, error) {
	if a.Clear {
		if err := d.Write(a.Buffer, a.Zeros()); err != nil {
			return nil, err
		}
	}
	r, err := d.Launch(ctx, l)
	if err != nil {
		return r, err
	}
	return r, d.Read(a.Buffer, a.To)
}

// Zeros returns a zero slice of the type of a.To and the length of the buffer, to clear the buffer with.
func (a Answer) Zeros() any {
	t := reflect.TypeOf(a.To)
	if t == nil || t.Kind() != reflect.Slice {
		return a.To // Write returns the error
	}
	return reflect.MakeSlice(t, a.Buffer.Len, a.Buffer.Len).Interface()
}

// Readier is a device whose launches take longer after it has copied data, or after it was idle.
type Readier interface {
	// Ready does what does not belong to the launch that follows, but would make it take longer: it
	// waits until the device has nothing to do, and makes the host warm. The launch that it
	// returns is to be made at once, and as it is; what Ready has checked of it is not checked
	// again. An error is one that the launch would have.
	Ready(ctx context.Context, l Launch) (Launch, error)
}

// Ready makes a device ready for a launch from which on time is measured. It does nothing on a
// device that is no Readier.
func Ready(ctx context.Context, d Device, l Launch) (Launch, error) {
	if r, ok := d.(Readier); ok {
		return r.Ready(ctx, l)
	}
	return l, nil
}

// ListReadier is a group that makes itself ready for a list of commands as a Readier does for a launch.
type ListReadier interface {
	ReadyList(ctx context.Context, cmds []Command) ([]Command, error)
}

// ReadyList makes a group ready for a list of commands from which on time is measured, or a device for the first launch of the list. It returns the list to run.
func ReadyList(ctx context.Context, d Device, cmds []Command) ([]Command, error) {
	if r, ok := d.(ListReadier); ok {
		return r.ReadyList(ctx, cmds)
	}
	first := slices.IndexFunc(cmds, func(c Command) bool { return c.Launch != nil })
	if first < 0 {
		return cmds, nil
	}
	l, err := Ready(ctx, d, *cmds[first].Launch)
	cmds = slices.Clone(cmds)
	cmds[first].Launch = &l
	return cmds, err
}

// Knower is a device that notes when its host has waited.
type Knower interface {
	// Known returns the time, as of Device.Now, at which the host knew the end of what it last waited
	// for: a launch, an answer or a copy. What it does since then, such as to keep a record
	// of the launch, is not needed to know that.
	Known() float64
}

// Known returns the time at which the host knew the end of what it last waited for: now on a device
// that is no Knower.
func Known(d Device) float64 {
	if k, ok := d.(Knower); ok {
		return k.Known()
	}
	return d.Now()
}

// HostSimulator is a device that simulates the host, too.
type HostSimulator interface {
	// HostStep lets the simulated time pass that a step of a scheme's host loop takes: its own code, between an answer and the
	// next launch.
	HostStep()
	// HostWork returns what the host has done so far.
	HostWork() HostWork
}

// HostWork is what a simulated host has done beside the kernels, so that its time can be computed for another host.
type HostWork struct {
	Steps   int     `json:"steps"`   // of host loops
	Waits   int     `json:"waits"`   // for kernels to end
	Answers int     `json:"answers"` // of launches
	First   int     `json:"first"`   // launches that were the first of their kernel
	Cold    float64 `json:"cold"`    // launches that were the first of all, each by the share of the host's caches that the data had taken
	Copies  int     `json:"copies"`
	Bytes   int     `json:"bytes"` // of the copies
}

// Since returns the work that was done after an earlier moment.
func (w HostWork) Since(before HostWork) HostWork {
	return HostWork{w.Steps - before.Steps, w.Waits - before.Waits, w.Answers - before.Answers, w.First - before.First,
		w.Cold - before.Cold, w.Copies - before.Copies, w.Bytes - before.Bytes}
}

// HostWorkOf returns what the host of a device has done so far; nothing if the device does not simulate the host.
func HostWorkOf(d Device) HostWork {
	if h, ok := d.(HostSimulator); ok {
		return h.HostWork()
	}
	return HostWork{}
}

// HostStep tells a device that a host loop begins a step. It does nothing on a device that does not simulate the host, whose
// time passes by itself.
func HostStep(d Device) {
	if h, ok := d.(HostSimulator); ok {
		h.HostStep()
	}
}
