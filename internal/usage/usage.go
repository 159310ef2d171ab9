// Package usage has the errors of someone who wrote something that makes no
// sense: a name that there is not, a value out of range, a flag that goes with
// another one only. Each says what is wrong and, where that is known, what to
// write instead.
package usage

import "fmt"

// Error is a mistake in what a user wrote: a command line, a name, a value.
// Hint, where set, says what to write instead; it may have several lines.
type Error struct{ What, Hint string }

// Error returns what is wrong, without the hint.
func (e *Error) Error() string { return e.What }

// Errorf returns an *Error with a hint; "" for none.
func Errorf(hint, format string, args ...any) error {
	return &Error{What: fmt.Sprintf(format, args...), Hint: hint}
}

// Hinted is a failure that is no mistake of the user's, with advice.
type Hinted struct {
	error
	Hint string
}

// WithHint gives an error advice, which is printed below it.
func WithHint(err error, hint string) error { return &Hinted{err, hint} }

// Unwrap returns the error without the advice.
func (e *Hinted) Unwrap() error { return e.error }

// Once refuses a list in which a flag names something twice: which of two
// values counts is not ours to guess, and doing a thing twice is no wish.
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
