//go:build cgo && linux

package worker

import (
	"errors"
	"slices"
	"sync/atomic"

	"github.com/weft-gpu/weft/hw/internal/cuda"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
)

// queue is a stream of a GPU with the commands that have not ended.
type queue struct {
	number  int // Command.Stream
	stream  *cuda.Stream
	pending []int // by their number in the list, from next on
	next    int
}

// marks are the events of a command: before and after it, and after what follows it for our own purposes.
type marks struct{ start, end, done *cuda.Event }

// list is a list of commands that runs.
type list struct {
	*server
	head  *RunHead
	calls []RunCall
	after []int32
	data  []byte
	marks []marks
	// last is the last launch of a function so far. With checks the launches of a function share a record of faults, so
	// they run one after another.
	last    map[*loaded]int
	checked bool // there are launches with checks
}

// armKernel stores at p0 the current %globaltimer plus p1.
const armKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry weft_arm(.param .u64 p0, .param .u64 p1)
{
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [p0];
	ld.param.u64 %rd2, [p1];
	mov.u64 %rd3, %globaltimer;
	add.u64 %rd4, %rd3, %rd2;
	st.global.u64 [%rd1], %rd4;
	ret;
}
`

// run queues all commands on streams of their GPUs, without waiting, and then waits for all. Events order the commands
// of different streams.
func (s *server) run(r *RunHead) (err error) {
	r.Failed, r.Suspects, r.Known = -1, 0, 0
	if err := s.ch.check(r); err != nil {
		return err
	}
	l := &s.list
	l.server, l.head, l.checked = s, r, false
	l.marks = slices.Grow(l.marks[:0], r.Calls)[:r.Calls]
	clear(l.marks)
	clear(l.last)
	l.calls, l.after, l.data = s.ch.Queue(r.Calls, r.Words)
	for i := range l.calls {
		l.checked = l.checked || l.calls[i].Kind == RunLaunch && l.calls[i].Launch.Checked
	}
	if err := s.begin(r); err != nil {
		return err
	}
	defer func() {
		r.Known = Monotonic()
		if late := l.times(err != nil); err == nil {
			err = late
		}
	}()
	for i := range l.calls {
		over, err := l.await(i)
		if err != nil || over {
			return err
		}
		if err := l.queue(i); err != nil {
			return l.failed(i, err)
		}
	}
	return l.wait()
}

// await waits for what command i waits for, if that may record a fault: the list is over if it did, and what was queued
// runs to its end.
func (l *list) await(i int) (over bool, err error) {
	if !l.checked {
		return false, nil
	}
	c := &l.calls[i]
	before := l.after[c.After[0]:c.After[1]]
	for j := i - 1; j >= 0; j-- {
		if e := &l.calls[j]; e.GPU == c.GPU && e.Stream == c.Stream {
			before = append(before[:len(before):len(before)], int32(j))
			break
		}
	}
	for _, j := range before {
		for !l.calls[j].Done {
			if _, err := l.poll(); err != nil {
				return true, err
			}
		}
	}
	for j := range i {
		if l.calls[j].Launch.Faulted {
			return true, l.wait()
		}
	}
	return false, nil
}

// begin prepares all GPUs for a list.
func (s *server) begin(r *RunHead) error {
	r.ClockError = 0
	for _, g := range s.gpus {
		g.used = 0
		for _, q := range g.queues {
			q.pending, q.next = q.pending[:0], 0
		}
		if err := s.use(g); err != nil {
			return err
		}
		if g.busy {
			if err := g.ctx.Synchronize(); err != nil {
				return err
			}
			g.busy = false
		}
		if err := g.times.set(g, lasts); err != nil {
			return err
		}
		r.ClockError = max(r.ClockError, g.times.off)
	}
	return nil
}

// queue adds a command to its stream.
func (l *list) queue(i int) error {
	c := &l.calls[i]
	g := l.gpus[c.GPU]
	if err := l.use(g); err != nil {
		return err
	}
	q, err := g.queue(c.Stream)
	if err != nil {
		return err
	}
	for _, j := range l.after[c.After[0]:c.After[1]] {
		if err := l.behind(q, i, int(j)); err != nil {
			return err
		}
	}
	m := &l.marks[i]
	if m.start, err = g.event(); err != nil {
		return err
	}
	if m.end, err = g.event(); err != nil {
		return err
	}
	m.done = m.end
	if c.Kind == RunLaunch {
		err = l.launch(i, g, q, m)
	} else {
		err = l.copy(c, q, m)
	}
	if err == nil {
		q.pending = append(q.pending, i)
		c.Queued = true
	}
	return err
}

// behind makes the commands that are added to a queue from now on wait for command j.
func (l *list) behind(q *queue, i, j int) error {
	if a, b := &l.calls[i], &l.calls[j]; a.GPU == b.GPU && a.Stream == b.Stream {
		return nil
	}
	return q.stream.After(l.marks[j].done)
}

// copy adds a copy between two events.
func (l *list) copy(c *RunCall, q *queue, m *marks) error {
	if err := q.stream.Record(m.start); err != nil {
		return err
	}
	var err error
	switch host := l.data[c.At : c.At+c.Bytes]; {
	case c.Bytes == 0:
	case c.Kind == RunWrite:
		err = q.stream.Write(c.Dst, host)
	case c.Kind == RunRead:
		err = q.stream.Read(c.Src, host)
	default:
		err = q.stream.Copy(l.gpus[c.To].ctx, c.Dst, l.gpus[c.From].ctx, c.Src, c.Bytes)
	}
	if err != nil {
		return err
	}
	return q.stream.Record(m.end)
}

// launch adds a launch between two events. Code with checks gets an empty record of faults and its deadline before, and
// its record is fetched behind it.
func (l *list) launch(i int, g *gpu, q *queue, m *marks) error {
	a := &l.calls[i].Launch
	f := g.funcs[a.Func]
	if err := f.allow(a); err != nil {
		return err
	}
	var record uint64
	if a.Checked {
		if j, ok := l.last[f]; ok {
			if err := l.behind(q, i, j); err != nil {
				return err
			}
		}
		if l.last == nil {
			l.last = map[*loaded]int{}
		}
		l.last[f] = i
		var err error
		if record, err = g.prepare(q, f, a.DeadlineNS); err != nil {
			return err
		}
	}
	if err := q.stream.Record(m.start); err != nil {
		return err
	}
	k := f.launch(a, nil)
	if err := q.stream.Launch(&k, a.Cooperative); err != nil {
		return err
	}
	err := q.stream.Record(m.end)
	if err == nil && a.Checked {
		if err = q.stream.ReadWords(record, a.Fault[:]); err == nil {
			if m.done, err = g.event(); err == nil {
				err = q.stream.Record(m.done)
			}
		}
	}
	return err
}

// prepare adds what checked code needs before a launch, and returns the address of its record of faults.
func (w *gpu) prepare(q *queue, f *loaded, deadline uint64) (uint64, error) {
	record, size, err := f.module.Global(ptx.FaultVar)
	if err == nil {
		err = q.stream.Set(record, 0, int(size))
	}
	if err != nil || deadline == 0 {
		return record, err
	}
	at, _, err := f.module.Global(ptx.DeadlineVar)
	if err == nil && w.armer == nil {
		w.armer, err = w.one(armKernel, "weft_arm")
	}
	if err != nil {
		return record, err
	}
	one := [3]int{1, 1, 1}
	return record, q.stream.Launch(&cuda.Launch{Function: w.armer, Grid: one, Block: one, Params: []uint64{at, deadline}}, false)
}

// queue returns a queue of the GPU.
func (w *gpu) queue(n int) (*queue, error) {
	for _, q := range w.queues {
		if q.number == n {
			return q, nil
		}
	}
	s, err := w.ctx.NewStream()
	if err != nil {
		return nil, err
	}
	w.queues = append(w.queues, &queue{number: n, stream: s})
	return w.queues[len(w.queues)-1], nil
}

// event returns an event that is not in use.
func (w *gpu) event() (*cuda.Event, error) {
	if w.used == len(w.events) {
		e, err := w.ctx.NewEvent(true)
		if err != nil {
			return nil, err
		}
		w.events = append(w.events, e)
	}
	w.used++
	return w.events[w.used-1], nil
}

// wait waits for all commands that were added.
func (l *list) wait() error {
	for {
		if left, err := l.poll(); err != nil || !left {
			return err
		}
	}
}

// poll removes the commands that have ended from all queues, and reports whether there are others.
func (l *list) poll() (left bool, err error) {
	for _, g := range l.gpus {
		if err := l.use(g); err != nil {
			return true, err
		}
		for _, q := range g.queues {
			if err := l.drain(g, q); err != nil {
				return true, l.sticky(g, err)
			}
			left = left || q.next < len(q.pending)
		}
	}
	return left, nil
}

// drain removes the commands of a queue that have ended.
func (l *list) drain(g *gpu, q *queue) error {
	for q.next < len(q.pending) {
		i := q.pending[q.next]
		c, m := &l.calls[i], &l.marks[i]
		over, err := m.done.Reached()
		if err != nil || !over {
			return err
		}
		c.Launch.Faulted = c.Kind == RunLaunch && c.Launch.Checked && c.Launch.Fault[0] != 0
		c.Done = true
		q.next++
		atomic.AddUint32(&l.head.Progress, 1)
	}
	q.pending, q.next = q.pending[:0], 0
	return nil
}

// times stores the times of all commands that have ended. The driver takes some microseconds for each, so this is done when nobody waits for the GPUs. After an error, the driver
// may not tell them: those commands then count as not done.
func (l *list) times(failed bool) error {
	for i := range l.calls {
		c, m := &l.calls[i], &l.marks[i]
		if !c.Done {
			continue
		}
		g := l.gpus[c.GPU]
		err := l.use(g)
		if err == nil {
			c.Start, err = g.times.at(m.start)
		}
		seconds := 0.0
		if err == nil {
			seconds, err = m.start.Until(m.end)
		}
		switch {
		case err != nil && failed:
			c.Done = false
		case err != nil:
			return err
		}
		c.End = c.Start + seconds
		if c.Kind == RunLaunch {
			c.Launch.Seconds = Without(seconds, g.overhead)
		}
	}
	return nil
}

// failed ends a list whose i-th command could not be added: those before it run to their end. If the error is one of
// earlier work of the GPU, it belongs to that.
func (l *list) failed(i int, err error) error {
	var driver *cuda.Error
	if errors.As(err, &driver) && driver.Sticky() {
		return l.sticky(l.gpus[l.calls[i].GPU], err)
	}
	if late := l.wait(); late != nil {
		return late
	}
	l.head.Failed = i
	return err
}

// sticky finds the command to which an error belongs that made the context of a GPU unusable: the first launch of that
// GPU that is not known to have ended. Others may have caused it, too.
func (l *list) sticky(g *gpu, err error) error {
	for i := range l.calls {
		c := &l.calls[i]
		if l.gpus[c.GPU] != g || c.Done || l.marks[i].start == nil {
			continue
		}
		switch {
		case l.head.Failed < 0:
			l.head.Failed = i
		case c.Kind == RunLaunch && l.calls[l.head.Failed].Kind != RunLaunch:
			l.head.Failed = i
		case c.Kind == RunLaunch:
			l.head.Suspects++
		}
	}
	return err
}
