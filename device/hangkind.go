package device

import "fmt"

// HangKind says what was shown about a kernel that does not end.
type HangKind uint8

// The kinds of hangs.
const (
	// Hang: no thread can end, in whatever order the threads run from now on: nothing that they
	// read changes, and each waits or repeats itself. A deadline that passes on hardware is
	// reported as this kind too, although nothing was shown; HangError.What says so.
	Hang HangKind = iota
	// Livelock: the whole state of the machine recurs. Threads change memory for ever, and in
	// the order of this run none ends; in another order they might.
	Livelock
	// Starved: like Livelock, and a thread that could run never gets a turn.
	Starved
	// Stuck: nothing can happen any more; no thread can execute an instruction.
	Stuck
	hangKinds
)

var (
	hangNames = [hangKinds]string{"hang", "livelock", "starved", "stuck"}
	hangVerbs = [hangKinds]string{"hangs", "livelocks", "starves threads", "is stuck"}
)

// String returns the kind in lower case, such as "livelock".
func (k HangKind) String() string {
	if k >= hangKinds {
		return fmt.Sprintf("hang kind %d", uint8(k))
	}
	return hangNames[k]
}

// MarshalText returns the same text as String, so that JSON shows the kind by name.
func (k HangKind) MarshalText() ([]byte, error) {
	if k >= hangKinds {
		return nil, fmt.Errorf("there is no hang kind %d", uint8(k))
	}
	return []byte(hangNames[k]), nil
}

// UnmarshalText sets k to the kind of the given name.
func (k *HangKind) UnmarshalText(text []byte) error {
	for i, name := range hangNames {
		if name == string(text) {
			*k = HangKind(i)
			return nil
		}
	}
	return fmt.Errorf("there is no hang kind %q; there are hang, livelock, starved, stuck", text)
}

// verb returns what a kernel of the kind does.
func (k HangKind) verb() string {
	if k >= hangKinds {
		return "hangs"
	}
	return hangVerbs[k]
}
