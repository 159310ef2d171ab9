package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// The exit codes.
const (
	exitRight     = 0 // the answer is right, or the command did what it was asked
	exitWrong     = 1 // a wrong answer, a failure, or an interruption
	exitUsage     = 2 // the command line, or a name or value in it, makes no sense
	exitHang      = 3 // the kernel cannot finish
	exitUndecided = 4 // a budget ended a kernel of which nobody knows whether it would finish
)

// usageError is a mistake in the command line. Hint, where set, says what to
// write instead; it may have several lines.
type usageError struct{ What, Hint string }

func (e *usageError) Error() string { return e.What }

func usagef(hint, format string, args ...any) error {
	return &usageError{What: fmt.Sprintf(format, args...), Hint: hint}
}

// hintedError is a failure with advice, which is printed below it.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// errInterrupted ends a command that Ctrl-C stopped after its partial result was printed.
var errInterrupted = errors.New("interrupted")

// errWrong ends a command whose result was printed and is wrong.
var errWrong = errors.New("wrong answer")

// exitCode is the code of the process for an error.
func exitCode(err error) int {
	var usage *usageError
	var hang *device.HangError
	var undecided *device.UndecidedError
	switch {
	case err == nil:
		return exitRight
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &hang):
		return exitHang
	case errors.As(err, &undecided):
		return exitUndecided
	}
	return exitWrong
}

// report prints an error the way every command does.
func report(w io.Writer, err error) {
	var usage *usageError
	var hinted *hintedError
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	fmt.Fprintf(w, "weft: %v\n", err)
	hint := ""
	if errors.As(err, &usage) {
		hint = usage.Hint
	} else if errors.As(err, &hinted) {
		hint = hinted.hint
	}
	if hint != "" {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(hint, "\n", "\n  "))
	}
}
