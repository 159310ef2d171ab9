package hw

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
)

// Write copies src to b.
func (d *Device) Write(b device.Buffer, src any) error {
	defer d.calls.Begin().End()
	from, err := d.mem.CheckWrite(b, src)
	if err != nil {
		return err
	}
	at, err := d.settled(b)
	if err != nil {
		return err
	}
	err = d.upload("write to "+b.Name, at, from)
	d.known = d.Now()
	if err == nil {
		d.toDevice += uint64(len(from))
	}
	return err
}

// Read copies b to dst.
func (d *Device) Read(b device.Buffer, dst any) error {
	defer d.calls.Begin().End()
	to, err := d.mem.CheckRead(b, dst)
	if err != nil {
		return err
	}
	at, err := d.settled(b)
	if err != nil {
		return err
	}
	err = d.download("read of "+b.Name, at, to)
	d.known = d.Now()
	if err == nil {
		d.toHost += uint64(len(to))
	}
	return err
}

// Copy implements device.Copier: the GPU copies by itself, and the host waits for it.
func (d *Device) Copy(_ context.Context, c device.Copy) error {
	defer d.calls.Begin().End()
	if err := c.Check(); err != nil {
		return err
	}
	from, err := d.settled(c.Src)
	if err != nil {
		return fmt.Errorf("copy from %s: %w", c.Src.Name, err)
	}
	to, err := d.settled(c.Dst)
	if err != nil {
		return fmt.Errorf("copy to %s: %w", c.Dst.Name, err)
	}
	n := c.Src.Bytes()
	if n == 0 {
		return nil
	}
	d.child.Ready()
	return d.step("copy to "+c.Dst.Name, worker.CopyCall{Addr: to, From: from, Bytes: n, Await: -1})
}

// settled returns the address of a buffer on the GPU, after writing back its contents if necessary.
func (d *Device) settled(b device.Buffer) (uint64, error) {
	if err := d.settle(b); err != nil {
		return 0, err
	}
	return d.address(b)
}

// address returns the address of a buffer on the GPU.
func (d *Device) address(b device.Buffer) (uint64, error) {
	if d.child == nil || d.calls.Closed() {
		return 0, closed("use of " + b.Name)
	}
	a, off, err := d.mem.Find(b)
	if err != nil {
		return 0, err
	}
	return d.addr[a.ID] + uint64(off), nil
}

// upload fills one slot of the staging memory while the GPU empties others. The child waits for a slot before it
// reports that the copy of the previous one is in flight.
func (d *Device) upload(during string, at uint64, from []byte) error {
	d.child.Ready()
	for i := 0; len(from) > 0; i++ {
		n := min(len(from), worker.SlotBytes)
		slot := i % worker.Slots
		spread(d.child.Slot(slot), from[:n])
		from = from[n:]
		step := worker.CopyCall{Slot: slot, Addr: at, Bytes: n, Await: -1}
		switch {
		case len(from) == 0:
			step.Await = slot // copies end in order
		case i+1 >= worker.Slots:
			step.Await = (i + 1) % worker.Slots
		}
		if err := d.step(during, step); err != nil {
			return err
		}
		at += uint64(n)
	}
	return nil
}

// download makes the GPU fill slots of the staging memory and empties them in turn.
func (d *Device) download(during string, at uint64, to []byte) error {
	d.child.Ready()
	parts := (len(to) + worker.SlotBytes - 1) / worker.SlotBytes
	part := func(i int) []byte {
		return to[i*worker.SlotBytes : min((i+1)*worker.SlotBytes, len(to))]
	}
	// The last of the slots that can be in flight starts with the first wait.
	for i := 0; i < parts+worker.Slots-1; i++ {
		step := worker.CopyCall{ToHost: true, Await: -1}
		if i < parts {
			step.Slot, step.Addr, step.Bytes = i%worker.Slots, at+uint64(i)*worker.SlotBytes, len(part(i))
		}
		done := i - (worker.Slots - 1) // the part to empty in this step
		if parts < worker.Slots {
			done = i - (parts - 1)
		}
		if done >= parts {
			break
		}
		if done >= 0 {
			step.Await = done % worker.Slots
		}
		if err := d.step(during, step); err != nil {
			return err
		}
		if done >= 0 {
			spread(part(done), d.child.Slot(done%worker.Slots))
		}
	}
	return nil
}

// step requests one step of a copy.
func (d *Device) step(during string, step worker.CopyCall) error {
	*d.child.Copy() = step
	return d.request(context.Background(), 0, during, worker.OpCopy)
}

// copiers is how many goroutines copy a large slot: one core copies about 10 GB/s, a GPU several times as much.
var copiers = min(max(runtime.GOMAXPROCS(0)/2, 1), 4)

// spread copies like copy, using several goroutines for large copies.
func spread(to, from []byte) {
	const much = 256 << 10
	n := min(len(to), len(from))
	if copiers == 1 || n < much {
		copy(to, from)
		return
	}
	share := (n/copiers + 4095) &^ 4095
	var group sync.WaitGroup
	for lo := share; lo < n; lo += share {
		group.Go(func() { copy(to[lo:min(lo+share, n)], from[lo:]) })
	}
	copy(to[:share], from)
	group.Wait()
}
