package device

import (
	"context"
	"reflect"
)

// Answer is what a host loop wants to know after a launch before it goes on: a
// few words, such as the size of the next frontier.
type Answer struct {
	Buffer Buffer
	To     any  // a slice, as for Device.Read
	Clear  bool // set the buffer to zero before the launch
}

// Asker is a device that does better than LaunchThenRead.
type Asker interface {
	// LaunchRead does what LaunchThenRead does, to the last bit of every buffer.
	// After an error the answer's buffer holds anything.
	LaunchRead(ctx context.Context, l Launch, a Answer) (*Report, error)
}

// LaunchRead runs a kernel to its end and reads an answer. Host loops that go on
// by what a kernel found use it: on a real GPU a launch with a read of its own
// takes twice as long.
func LaunchRead(ctx context.Context, d Device, l Launch, a Answer) (*Report, error) {
	if f, ok := d.(Asker); ok {
		return f.LaunchRead(ctx, l, a)
	}
	return LaunchThenRead(ctx, d, l, a)
}

// LaunchThenRead is LaunchRead by the steps that it stands for: Write of zeros
// where a.Clear says so, Launch, Read. The report is the launch's.
func LaunchThenRead(ctx context.Context, d Device, l Launch, a Answer) (*Report, error) {
	if a.Clear {
		if err := d.Write(a.Buffer, zeros(a)); err != nil {
			return nil, err
		}
	}
	r, err := d.Launch(ctx, l)
	if err != nil {
		return r, err
	}
	return r, d.Read(a.Buffer, a.To)
}

// zeros is a slice like a.To of the buffer's length.
func zeros(a Answer) any {
	t := reflect.TypeOf(a.To)
	if t == nil || t.Kind() != reflect.Slice {
		return a.To // Write says what is wrong with it
	}
	return reflect.MakeSlice(t, a.Buffer.Len, a.Buffer.Len).Interface()
}
