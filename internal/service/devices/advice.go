package devices

import (
	"errors"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Advise adds to an error of a launch which options help, in the words of who reads it: a device does not know what its
// callers call them. shaped says that the caller sets the grid of the launch, and no scheme does.
func (s *Spec) Advise(err error, shaped bool) error {
	if hint := s.advice(err, shaped); !hint.Empty() {
		return usage.WithHint(err, hint)
	}
	return err
}

// AdvisePTX is Advise for the launch of a kernel that was read from PTX, into which nothing compiles checks.
func (s *Spec) AdvisePTX(err error, shaped bool) error {
	var fault *device.Fault
	if errors.As(err, &fault) {
		if s.Can().Has(device.Deadline) && len(fault.At) == 0 {
			return usage.WithHint(err, usage.Say("%s says where", option.Device.With("func")))
		}
		return err
	}
	return s.Advise(err, shaped)
}

// advice is the hint of Advise; it is empty if no option helps.
func (s *Spec) advice(err error, shaped bool) usage.Message {
	real := s.Can().Has(device.Deadline)
	var fault *device.Fault
	if errors.As(err, &fault) {
		// The driver says that a kernel failed, and not where; the checks that Weft compiles into a kernel know the place.
		if real && len(fault.At) == 0 && !s.Options.Check {
			return usage.Say("run it again with %s to see where", option.Check)
		}
		return usage.Message{}
	}
	graph, hangs := waiting(err)
	switch {
	case shaped && graph != nil && slices.ContainsFunc(graph.Causes, func(c device.WaitingCause) bool { return c.Kind == device.CauseNotResident }):
		return usage.Say("%s sets the number of blocks, and with %s a grid that does not fit is refused", option.Grid, option.Cooperative)
	case hangs && real && graph == nil:
		return usage.Say("a simulated machine shows who waits for whom, such as %s", option.Device.With("sim:h200"))
	}
	return usage.Message{}
}

// waiting returns why the kernel of an error did not end, if that is known, and whether the error is one of a kernel that
// did not end.
func waiting(err error) (g *device.WaitGraph, hangs bool) {
	var hang *device.HangError
	var undecided *device.UndecidedError
	switch {
	case errors.As(err, &hang):
		return hang.Graph, true
	case errors.As(err, &undecided):
		return undecided.Graph, true
	}
	return nil, false
}
