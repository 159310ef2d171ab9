package simt

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// Where returns the number of the GPU that has b.
func (m *Memory) Where(b device.Buffer) (gpu int, err error) {
	a, _, err := m.Find(b)
	if err != nil {
		return 0, err
	}
	return a.GPU, nil
}

// Copy copies one buffer to another, on any GPUs of the group. Bytes that have
// not been written at the source are unwritten at the destination.
func (m *Memory) Copy(c device.Copy) error {
	if err := c.Check(); err != nil {
		return err
	}
	src, from, err := m.Find(c.Src)
	if err != nil {
		return fmt.Errorf("copy from %s: %w", c.Src.Name, err)
	}
	dst, to, err := m.Find(c.Dst)
	if err != nil {
		return fmt.Errorf("copy to %s: %w", c.Dst.Name, err)
	}
	n := c.Src.Bytes()
	copy(dst.Data[to:to+n], src.Data[from:from+n])
	dst.takeUnwritten(to, src, from, n)
	if src.GPU != dst.GPU {
		m.gpus[src.GPU].Copied.ToPeers += uint64(n)
		m.gpus[dst.GPU].Copied.FromPeers += uint64(n)
	}
	return nil
}

// takeUnwritten records for the n bytes at off which of those at from of src
// have been written.
func (a *Allocation) takeUnwritten(off int, src *Allocation, from, n int) {
	u := src.unwritten
	for i := 0; i < n; {
		at, ok := u.First(from+i, n-i)
		if !ok {
			at = from + n
		}
		a.Wrote(off+i, at-from-i)
		i = at - from
		start := i
		for i < n && u.Meets(uint64(from+i), 1) {
			i++
		}
		a.unwrote(off+start, i-start)
	}
}

// unwrote records that the n bytes at off hold nothing that was written.
func (a *Allocation) unwrote(off, n int) {
	if n == 0 {
		return
	}
	u := a.unwritten
	if u == nil {
		u = &Unwritten{bits: make([]uint64, (len(a.Data)+63)/64)}
		a.unwritten = u
	}
	for i := off; i < off+n; i++ {
		if bit := uint64(1) << (i % 64); u.bits[i/64]&bit == 0 {
			u.bits[i/64] |= bit
			u.left++
		}
	}
}
