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
	bytes := c.Src.Bytes()
	copy(dst.Data[to:to+bytes], src.Data[from:from+bytes])
	dst.takeUnwritten(to, src, from, bytes)
	if src.GPU != dst.GPU {
		m.gpus[src.GPU].Copied.ToPeers += uint64(bytes)
		m.gpus[dst.GPU].Copied.FromPeers += uint64(bytes)
	}
	return nil
}

// takeUnwritten records for the count bytes at off which of those at from of src
// have been written.
func (a *Allocation) takeUnwritten(off int, src *Allocation, from, count int) {
	unwritten := src.unwritten
	for i := 0; i < count; {
		at, ok := unwritten.First(from+i, count-i)
		if !ok {
			at = from + count
		}
		a.Wrote(off+i, at-from-i)
		i = at - from
		start := i
		for i < count && unwritten.Meets(uint64(from+i), 1) {
			i++
		}
		a.unwrote(off+start, i-start)
	}
}

// unwrote records that the count bytes at off hold nothing that was written.
func (a *Allocation) unwrote(off, count int) {
	if count == 0 {
		return
	}
	unwritten := a.unwritten
	if unwritten == nil {
		unwritten = &Unwritten{bits: make([]uint64, (len(a.Data)+63)/64)}
		a.unwritten = unwritten
	}
	for i := off; i < off+count; i++ {
		if bit := uint64(1) << (i % 64); unwritten.bits[i/64]&bit == 0 {
			unwritten.bits[i/64] |= bit
			unwritten.left++
		}
	}
}
