//go:build cgo && linux

package worker

import (
	"encoding/binary"
	"fmt"

	"github.com/weft-gpu/weft/hw/internal/cuda"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
)

// launch runs a kernel to completion, and fetches its answer.
func (w *gpu) launch(a *LaunchCall) error {
	if a.Func < 0 || a.Func >= len(w.funcs) || a.NParams > MaxParams || a.AnswerBytes > MaxAnswer || a.Bytes > MaxBytes {
		return fmt.Errorf("the hardware child knows no such launch (kernel %d, %d parameters)", a.Func, a.NParams)
	}
	f := w.funcs[a.Func]
	if a.Staged {
		a.Stages[Taken] = Nanoseconds()
		w.timer.Stage(true)
		defer w.staged(a)
	}
	if a.Checked {
		if err := w.arm(f, a.DeadlineNS); err != nil {
			return err
		}
	}
	if err := f.allow(a); err != nil {
		return err
	}
	if a.ClearBefore {
		if err := w.ctx.StartClear(a.Answer, a.AnswerBytes/4); err != nil {
			return err
		}
	}
	l := f.launch(a, w.ch.Bytes())
	var err error
	if w.stamped = w.chained(a); w.stamped {
		a.Seconds, err = w.answers.run(w, f.chain, &l, a, w.ch.Answer())
	} else {
		a.Seconds, err = w.steps(&l, a)
	}
	if err != nil {
		return err
	}
	a.Faulted = false
	if a.Checked {
		a.Faulted, err = w.fault(f, &a.Fault)
	}
	return err
}

// chained reports whether a launch is made with an answer of the GPU.
func (w *gpu) chained(a *LaunchCall) bool {
	return w.funcs[a.Func].chain != nil && a.Repeat <= 1 && !a.Cooperative && a.Cluster[0]*a.Cluster[1]*a.Cluster[2] <= 1
}

// launch describes a launch to the driver. bytes are those of its parameters, if the call has no room for them.
func (f *loaded) launch(a *LaunchCall, bytes []byte) cuda.Launch {
	l := cuda.Launch{Function: f.fn, Grid: a.Grid, Block: a.Block, Cluster: a.Cluster, DynamicShared: a.DynamicShared, Params: a.Params[:a.NParams]}
	if len(f.offsets) > 0 {
		if a.Bytes <= 8*MaxParams {
			bytes = a.Inline()
		}
		l.Bytes, l.Offsets = bytes[:a.Bytes], f.offsets
	}
	return l
}

// steps makes a launch and reads its answer in separate steps.
func (w *gpu) steps(l *cuda.Launch, a *LaunchCall) (float64, error) {
	s, err := w.timer.Run(l, max(a.Repeat, 1), a.Cooperative)
	if err != nil {
		return 0, err
	}
	if a.AnswerBytes > 0 {
		err = w.ctx.Read(a.Answer, w.ch.Answer()[:a.AnswerBytes])
	}
	if err == nil && a.ClearAfter {
		w.busy = true
		err = w.ctx.StartClear(a.Answer, a.AnswerBytes/4)
	}
	return Without(s, w.overhead), err
}

// arm clears the fault record and sets the watchdog's deadline.
func (w *gpu) arm(f *loaded, deadline uint64) error {
	addr, size, err := f.module.Global(ptx.FaultVar)
	if err != nil {
		return err
	}
	if err := w.ctx.Write(addr, make([]byte, size)); err != nil {
		return err
	}
	if deadline == 0 {
		return nil
	}
	now, err := w.clock()
	if err != nil {
		return err
	}
	if addr, _, err = f.module.Global(ptx.DeadlineVar); err != nil {
		return err
	}
	return w.ctx.Write(addr, binary.LittleEndian.AppendUint64(nil, now+deadline))
}

// clock returns the current value of the GPU's %globaltimer.
func (w *gpu) clock() (uint64, error) {
	if w.stamp == nil {
		var err error
		if w.stamp, err = w.one(stampKernel, "weft_stamp"); err != nil {
			return 0, err
		}
	}
	addr, err := w.ctx.Alloc(8)
	if err != nil {
		return 0, err
	}
	defer w.ctx.Free(addr)
	if err := w.stamp.Launch([3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, false, []uint64{addr}); err != nil {
		return 0, err
	}
	var b [8]byte
	err = w.ctx.Read(addr, b[:])
	return binary.LittleEndian.Uint64(b[:]), err
}

// fault reads the fault record, and reports whether a fault was recorded.
func (w *gpu) fault(f *loaded, words *[ptx.FaultWords]uint64) (bool, error) {
	addr, _, err := f.module.Global(ptx.FaultVar)
	if err != nil {
		return false, err
	}
	var b [8 * ptx.FaultWords]byte
	if err := w.ctx.Read(addr, b[:]); err != nil {
		return false, err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words[0] != 0, nil
}

// copy performs one step of a copy.
func (w *gpu) copy(a *CopyCall) error {
	if a.From != 0 {
		if err := w.ctx.StartCopy(a.Addr, a.From, a.Bytes); err != nil {
			return err
		}
		return w.ctx.Synchronize()
	}
	if a.Bytes > 0 {
		if err := w.startCopy(a); err != nil {
			return err
		}
	}
	if a.Await < 0 || !w.pinned {
		return nil
	}
	return w.copied[a.Await].Wait()
}

// startCopy starts the copy of a slot; without pinned memory it also completes it.
func (w *gpu) startCopy(a *CopyCall) error {
	host := w.ch.Slot(a.Slot)[:a.Bytes]
	switch {
	case !w.pinned && a.ToHost:
		return w.ctx.Read(a.Addr, host)
	case !w.pinned:
		return w.ctx.Write(a.Addr, host)
	}
	start := w.ctx.StartWrite
	if a.ToHost {
		start = w.ctx.StartRead
	}
	if err := start(a.Addr, host); err != nil {
		return err
	}
	return w.copied[a.Slot].Record()
}
