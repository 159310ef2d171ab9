package hw

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
)

// StagesFile is the environment variable that names a file for the stages of all launches of a GPU alone: docs/hardware.md says what they are.
const StagesFile = "WEFT_HW_STAGES"

// stages are the moments of a launch, in nanoseconds as by worker.Nanoseconds.
type stages struct {
	kernel                string
	asked, prepared, sent int64
	child                 worker.Stages
	began, ended          int64 // on the GPU; 0 if that is not known
	off                   int64 // by how much began and ended may be off
	seen, done            int64
	seconds               float64 // of the kernel
}

// staging keeps the stages of launches until the device is closed, since to write them would take the time of the next launch. Its methods do
// nothing if it is nil.
type staging struct {
	file *os.File
	now  stages
	list []stages
}

// newStaging opens the file; nil if nobody asks for stages.
func newStaging() (*staging, error) {
	name := os.Getenv(StagesFile)
	if name == "" {
		return nil, nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", StagesFile, err)
	}
	return &staging{file: f, list: make([]stages, 0, 4096)}, nil
}

func (s *staging) asked(l *device.Launch) {
	if s != nil {
		s.now = stages{asked: worker.Nanoseconds(), kernel: l.Kernel.Name}
	}
}

func (s *staging) prepared() {
	if s != nil {
		s.now.prepared = worker.Nanoseconds()
	}
}

func (s *staging) sent() {
	if s != nil {
		s.now.sent = worker.Nanoseconds()
	}
}

func (s *staging) seen() {
	if s != nil {
		s.now.seen = worker.Nanoseconds()
	}
}

// staged ends the stages of a launch, and asks the child for its part. Now does not count that.
func (d *Device) staged(seconds float64) {
	s := d.stages
	if s == nil {
		return
	}
	x := s.now
	x.done, x.seconds = worker.Nanoseconds(), seconds
	defer d.aside(time.Now())
	d.child.Ready()
	x.child = d.child.Launch().Stages
	var c worker.Clock
	if d.ask(context.Background(), "clock", worker.OpClock, 0, &c) == nil && c.Host != 0 {
		x.began = int64(c.Began-c.GPU) + c.Host
		x.ended = x.began + int64((seconds+d.info.AnswerOverhead)*1e9)
		x.off = c.Off
	}
	s.list = append(s.list, x)
}

// stageColumns are the columns of the file: the kernel, the moments in microseconds since the first of them, what the kernel took, by how much its begin
// and end may be off, and the first moment in nanoseconds since this machine has started.
var stageColumns = []string{"kernel", "prepared", "sent", "taken", "described", "set", "submitted", "began", "ended", "over", "seen", "done", "kernel_us", "off_us", "asked_ns"}

// close writes all stages.
func (s *staging) close() (err error) {
	if s == nil {
		return nil
	}
	defer func() { err = errors.Join(err, s.file.Close()) }()
	w := csv.NewWriter(s.file)
	if info, err := s.file.Stat(); err == nil && info.Size() == 0 {
		if err := w.Write(stageColumns); err != nil {
			return err
		}
	}
	us := func(ns int64) string { return strconv.FormatFloat(float64(ns)/1e3, 'f', 2, 64) }
	for i := range s.list {
		x := &s.list[i]
		row := []string{x.kernel}
		for _, at := range []int64{x.prepared, x.sent, x.child[worker.Taken], x.child[worker.Described], x.child[worker.Set], x.child[worker.Submitted],
			x.began, x.ended, x.child[worker.Over], x.seen, x.done} {
			if at == 0 {
				row = append(row, "")
				continue
			}
			row = append(row, us(at-x.asked))
		}
		if err := w.Write(append(row, us(int64(x.seconds*1e9)), us(x.off), strconv.FormatInt(x.asked, 10))); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
