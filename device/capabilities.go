package device

import (
	"math/bits"
	"strings"
)

// Capabilities are what a device can do beyond memory, launches and occupancy,
// which all devices have. Who needs one asks for it, and not for a kind of
// device; the contract test holds each device to those that it names.
type Capabilities uint

// The capabilities. Adding one is a constant here and a row in lacks.
const (
	// Clock: reports say how long launches took, in seconds and, where the
	// device is simulated, in cycles.
	Clock Capabilities = 1 << iota
	// Counters: reports count what kernels did, instructions at least.
	Counters
	// Profile: it can show where the time of launches goes, by instruction and address.
	Profile
	// Trace: it can show what happens over time: launches, blocks, load.
	Trace
	// CycleLevel: it simulates each cycle, and can run some launches
	// functionally instead, on the same memory.
	CycleLevel
	// Page: it can show itself in a browser while it runs.
	Page
	// Streams: it implements Concurrent.
	Streams
	// Parameters: it has parameters that can be set before it is opened.
	Parameters
	// Budget: it can end a launch that does more than it is allowed.
	Budget
	// Unwritten: it refuses to read what nobody has written, unless it is told not
	// to, and collectives whose mask names a lane that is elsewhere.
	Unwritten
	// Deadline: it can leave checks out or keep them, and end a kernel that runs too long.
	Deadline
	// Silicon: it is real hardware, so that its time is measured and not modelled.
	Silicon

	capabilities = iota
)

// lacks says of a device without a capability what follows its name in a message.
var lacks = [capabilities]string{
	"has no clock",
	"does not count what kernels do",
	"does not show where its time goes",
	"does not show what happens over time",
	"is not simulated",
	"is not simulated",
	"cannot run launches at a time",
	"has no parameters",
	"does not end launches by a budget",
	"does not look for words that nobody has written",
	"always checks, and finds hangs itself",
	"is not a real GPU",
}

// Has reports whether all of need are among the capabilities.
func (c Capabilities) Has(need Capabilities) bool { return c&need == need }

// Lacks says in words what a device with these capabilities lacks of need:
// "has no clock", to follow its name; "" where it has all.
func (c Capabilities) Lacks(need Capabilities) string {
	var words []string
	for missing := need &^ c; missing != 0; missing &= missing - 1 {
		if w := lacks[bits.TrailingZeros(uint(missing))]; len(words) == 0 || words[len(words)-1] != w {
			words = append(words, w)
		}
	}
	return strings.Join(words, " and ")
}
