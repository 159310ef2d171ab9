package explore

import (
	"errors"

	"github.com/weft-gpu/weft/device"
)

// OutcomeOf returns the outcome of a program that ended with err; nil is the right answer.
func OutcomeOf(err error, cycles uint64) Outcome {
	var (
		hang      *device.HangError
		undecided *device.UndecidedError
		fault     *device.Fault
	)
	o := Outcome{Kind: Failed, Err: err, Cycles: cycles}
	switch {
	case err == nil:
		o.Kind = Ended
	case errors.As(err, &hang):
		o.Kind = hang.Kind.String()
	case errors.As(err, &undecided):
		o.Kind = Undecided
	case errors.As(err, &fault):
		o.Kind = Fault
	}
	return o
}

// Judged returns the outcome of a program that ended with err and had these races, which count before a wrong answer:
// they are why most answers depend on the schedule. Races that the source marks as intended do not count.
func Judged(err error, races []device.Race, cycles uint64) Outcome {
	o := OutcomeOf(err, cycles)
	o.Races = races
	if raced := device.RaceErr(races); err == nil && raced != nil {
		o.Kind, o.Err = Raced, raced
	}
	return o
}

// Budget returns the budget for the launches of schedules where the user gave none: a schedule may send a program into
// a loop that counts for ever, which no test finds. cycles are those of the default schedule.
func Budget(cycles uint64) uint64 { return 20_000_000 + 20*cycles }
