package usage

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a mistake in a user's input: a command line, a name, a value. Hint,
// if set, says what to write instead; it may have several lines.
type Error struct{ What, Hint string }

// Error returns what is wrong, without the hint.
func (e *Error) Error() string { return e.What }

// Errorf returns an *Error with a hint, which may be "".
func Errorf(hint, format string, args ...any) error {
	return &Error{What: fmt.Sprintf(format, args...), Hint: hint}
}

// Hinted is a failure that is not the user's mistake, with advice.
type Hinted struct {
	error
	Hint string
}

// WithHint adds advice to an error, which is printed below it.
func WithHint(err error, hint string) error { return &Hinted{err, hint} }

// Unwrap returns the error without the advice.
func (e *Hinted) Unwrap() error { return e.error }

// Once rejects a list in which a flag names something twice, since it is
// unclear which of two values counts.
func Once(flag string, names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return Errorf("", "--%s: %s is given twice", flag, name)
		}
		seen[name] = true
	}
	return nil
}

// HintOf returns the advice of an error; "" if it has none.
func HintOf(err error) string {
	var mistake *Error
	var failure *Hinted
	switch {
	case errors.As(err, &mistake):
		return mistake.Hint
	case errors.As(err, &failure):
		return failure.Hint
	}
	return ""
}

// Brief returns an error in one line: what is wrong, and the name that is probably meant.
func Brief(err error) string {
	if first, _, _ := strings.Cut(HintOf(err), "\n"); strings.HasPrefix(first, "did you mean ") {
		return err.Error() + "; " + first
	}
	return err.Error()
}
