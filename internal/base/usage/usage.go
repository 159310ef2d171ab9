package usage

import (
	"errors"
	"strings"
)

// Error is a mistake in a user's input: a command line, a name, a value. Hint,
// if set, says what to write instead; it may have several lines. Option, if set, is what has the value that is wrong.
type Error struct {
	Option     Word
	What, Hint Message
}

// Error returns what is wrong, without the hint, in the words of the command line.
func (e *Error) Error() string { return e.In(CommandLine) }

// In returns what is wrong, without the hint, in the words of a caller.
func (e *Error) In(c Caller) string {
	if e.Option == nil {
		return e.What.In(c)
	}
	return e.Option.In(c) + ": " + e.What.In(c)
}

// Of returns an *Error about the value of an option, with a hint, which may be "".
func Of[Hint string | Message](option Word, hint Hint, format string, args ...any) error {
	return &Error{Option: option, What: Say(format, args...), Hint: message(hint)}
}

// Errorf returns an *Error with a hint, which may be "". An argument that is a Word is written in the words of who reads
// the error.
func Errorf[Hint string | Message](hint Hint, format string, args ...any) error {
	return &Error{What: Say(format, args...), Hint: message(hint)}
}

// message returns a text or a Message as a Message.
func message[Text string | Message](text Text) Message {
	if m, ok := any(text).(Message); ok {
		return m
	}
	return Plain(any(text).(string))
}

// Hinted is a failure that is not the user's mistake, with advice.
type Hinted struct {
	error
	Hint Message
}

// WithHint adds advice to an error, which is printed below it.
func WithHint[Hint string | Message](err error, hint Hint) error {
	return &Hinted{err, message(hint)}
}

// Unwrap returns the error without the advice.
func (e *Hinted) Unwrap() error { return e.error }

// Once rejects a list in which an option names something twice, since it is
// unclear which of two values counts.
func Once(option Word, names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return Errorf("", "%s: %s is given twice", option, name)
		}
		seen[name] = true
	}
	return nil
}

// HintOf returns the advice of an error; it is empty if the error has none.
func HintOf(err error) Message {
	var mistake *Error
	var failure *Hinted
	switch {
	case errors.As(err, &mistake):
		return mistake.Hint
	case errors.As(err, &failure):
		return failure.Hint
	}
	return Message{}
}

// Brief returns an error in one line, in the words of a caller: what is wrong, and the name that is probably meant.
func Brief(err error, c Caller) string {
	if first, _, _ := strings.Cut(HintOf(err).In(c), "\n"); strings.HasPrefix(first, "did you mean ") {
		return In(err, c) + "; " + first
	}
	return In(err, c)
}
