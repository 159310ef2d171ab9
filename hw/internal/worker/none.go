//go:build !cgo || !linux

package worker

import (
	"errors"
	"os"
	"time"
)

// Available reports whether this build can serve a parent.
const Available = false

// MaybeChild does nothing in a build without the driver binding.
func MaybeChild() {}

// Refuse returns false: this build starts no children.
func Refuse() bool { return false }

// Serve does nothing in a build without the driver binding.
func Serve(*Channel) {}

// ErrForgotten is returned by NewLines: this build has no child processes.
var ErrForgotten = errors.New("no child processes in this build")

// Lines stands for the connections to a child, which this build does not start.
type Lines struct {
	Requests, Replies *os.File
	Channel           *Channel
	Files             []*os.File
	Env               string
}

// NewLines fails in a build without the driver binding.
func NewLines(int) (*Lines, error) { return nil, ErrForgotten }

// Await fails.
func (*Lines) Await(time.Duration) error { return ErrForgotten }

// Watch does nothing.
func (*Lines) Watch() {}

// Started does nothing.
func (*Lines) Started() {}

// Close does nothing.
func (*Lines) Close() {}

// Monotonic returns 0 in a build without the driver binding.
func Monotonic() float64 { return 0 }

// Nanoseconds returns 0 in a build without the driver binding.
func Nanoseconds() int64 { return 0 }

// This build shares no memory and does not wait.
func newShared(int, int, bool) ([]byte, []byte, *os.File, error)      { return nil, nil, nil, ErrForgotten }
func unshare([]byte)                                                  {}
func spin(_ *uint32, _ uint32, _ time.Duration) bool                  { return false }
func sleep(_ *uint32, _ uint32, _ time.Duration)                      {}
func wake(*uint32)                                                    {}
func spinAnswer(*uint32, uint32, []uint64, uint32, time.Duration) int { return answerNone }
