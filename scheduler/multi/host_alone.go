//go:build !kernel

package multi

import (
	"context"
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/device"
)

// alone is a single GPU as a group of one. It runs commands in the order of the list.
type alone struct{ device.Device }

func (a alone) GPUs() int                              { return 1 }
func (a alone) GPU(int) device.Device                  { return a.Device }
func (a alone) Where(device.Buffer) (gpu int, e error) { return 0, nil }
func (a alone) Peer(int, int) device.Peer {
	return device.Peer{Copy: true, Access: true, Atomics: true}
}
func (a alone) Links() []device.LinkUse { return nil }

// Run runs commands one after another.
func (a alone) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	timings := make([]device.Timing, len(cmds))
	for i, c := range cmds {
		timings[i].Start = a.Now()
		var err error
		switch {
		case c.Launch != nil:
			timings[i].Report, err = a.Launch(ctx, *c.Launch)
		case c.Copy != nil:
			err = a.copy(*c.Copy)
		case c.Write != nil:
			err = a.Write(c.Write.Buffer, c.Write.Host)
		default:
			err = a.Read(c.Read.Buffer, c.Read.Host)
		}
		timings[i].End = a.Now()
		if err != nil {
			return timings, fmt.Errorf("command %d on GPU 0: %w", i, err)
		}
	}
	return timings, nil
}

// copy copies by way of the host.
func (a alone) copy(c device.Copy) error {
	host := reflect.MakeSlice(reflect.SliceOf(hostType[c.Src.Elem]), c.Src.Len, c.Src.Len).Interface()
	if err := a.Read(c.Src, host); err != nil {
		return err
	}
	return a.Write(c.Dst, host)
}
