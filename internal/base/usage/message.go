package usage

import (
	"fmt"
	"strings"
)

// Caller is who reads a message. The same option has another name for each: --seed, seed, Options.Seed.
type Caller uint8

// The callers.
const (
	CommandLine   Caller = iota // flags
	Specification               // keys of a file
	Program                     // what the library exports
)

// Word is a part of a message that each caller reads in words of its own, such as an option.
type Word interface{ In(Caller) string }

// Message is a text with Words. Its zero value is empty.
type Message struct {
	format string
	args   []any
}

// Say returns a message in the form of fmt.Sprintf. An argument that is a Word, or an error of this package, is written in
// the words of who reads the message.
func Say(format string, args ...any) Message { return Message{format, args} }

// Plain returns a message without Words.
func Plain(text string) Message { return Say("%s", text) }

// In returns the text in the words of a caller.
func (m Message) In(c Caller) string {
	if m.format == "" {
		return ""
	}
	args := make([]any, len(m.args))
	for i, a := range m.args {
		switch a := a.(type) {
		case Word:
			args[i] = a.In(c)
		default:
			args[i] = a
		}
	}
	return fmt.Sprintf(m.format, args...)
}

// Empty reports whether there is no text.
func (m Message) Empty() bool { return m.String() == "" }

// String returns the text in the words of the command line.
func (m Message) String() string { return m.In(CommandLine) }

// Join returns a message of several, with sep between them.
func Join(list []Message, sep string) Message {
	var args []any
	for _, m := range list {
		args = append(args, m)
	}
	return Say(strings.TrimSuffix(strings.Repeat("%s"+strings.ReplaceAll(sep, "%", "%%"), len(list)), sep), args...)
}

// In returns an error in the words of a caller. Only the errors of this package have Words: what wraps them is written for
// the command line.
func In(err error, c Caller) string {
	if w, ok := err.(Word); ok {
		return w.In(c)
	}
	return err.Error()
}
