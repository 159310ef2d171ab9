//go:build !cgo || !linux

package worker

import (
	"errors"
	"io"
	"os"
	"time"
)

// Available says that this build can serve a parent.
const Available = false

// MaybeChild does nothing in a build without the driver binding.
func MaybeChild() {}

// Refuse reports no child in a build that starts none.
func Refuse() bool { return false }

// Serve answers nothing in a build without the driver binding.
func Serve(io.Reader, io.Writer) {}

// ErrForgotten is the error for children that serve nobody; there are none.
var ErrForgotten = errors.New("no child processes in this build")

// Lines stands for the pipes to a child, which this build does not start.
type Lines struct {
	Requests, Replies *os.File
	Files             []*os.File
	Env               string
}

// NewLines fails in a build without the driver binding.
func NewLines() (*Lines, error) { return nil, ErrForgotten }

// Await fails, too.
func (*Lines) Await(time.Duration) error { return ErrForgotten }

// Started does nothing.
func (*Lines) Started() {}

// Close does nothing.
func (*Lines) Close() {}
