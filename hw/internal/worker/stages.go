//go:build cgo && linux

package worker

import "encoding/binary"

// staged stores the moments of a launch.
func (w *gpu) staged(a *LaunchCall) {
	at := w.timer.Stages()
	copy(a.Stages[Described:], at[:])
	w.timer.Stage(false)
}

// pings is how many launches tie the clock of the GPU to that of the host.
const pings = 9

// tie reads when the last launch began, and compares the clocks: an empty kernel begins between its submission and the moment at which its end is
// known. Only launches with answers note their begin.
func (w *gpu) tie() (c Clock, err error) {
	if !w.stamped || w.empty == nil || w.empty.chain == nil {
		return c, nil
	}
	read := func() (uint64, error) {
		var b [8]byte
		err := w.ctx.Read(w.answers.since, b[:])
		return binary.LittleEndian.Uint64(b[:]), err
	}
	if c.Began, err = read(); err != nil {
		return c, err
	}
	call := LaunchCall{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}}
	l := w.empty.launch(&call, nil)
	for range pings {
		before := Nanoseconds()
		seconds, err := w.answers.run(w, w.empty.chain, &l, &call, nil)
		if err != nil {
			return c, err
		}
		after := Nanoseconds()
		at, err := read()
		if err != nil {
			return c, err
		}
		// Of what is left beside the kernel, the way of the answer to the host takes about a microsecond.
		took := int64(seconds * 1e9)
		if off := (after - before - took) / 2; c.Host == 0 || off < c.Off {
			c.GPU, c.Host, c.Off = at, after-took-1000, off
		}
	}
	return c, nil
}
