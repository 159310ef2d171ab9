package device

import (
	"math/bits"
	"strings"
)

// Capabilities is the set of what a device can do besides memory, launches and occupancy,
// which all devices support. Code that needs a capability checks for it rather than for a
// kind of device. The contract test checks that each device has the capabilities that it
// names.
type Capabilities uint

// The capabilities. To add one, add a constant here and an entry in lacks.
const (
	// Clock: reports have the duration of launches in seconds and, for simulated devices,
	// in cycles.
	Clock Capabilities = 1 << iota
	// Counters: reports count what kernels did, at least instructions.
	Counters
	// Profile: the device can attribute the time of launches to instructions and addresses.
	Profile
	// Trace: the device can record events over time: launches, blocks, load.
	Trace
	// CycleLevel: the device simulates each cycle, and can run some launches functionally
	// instead, on the same memory.
	CycleLevel
	// Page: the device can show its state in a browser while it runs.
	Page
	// Streams: it implements Concurrent.
	Streams
	// Parameters: the device has parameters that can be set before it is opened.
	Parameters
	// Budget: the device can end a launch that exceeds a limit.
	Budget
	// Unwritten: the device detects reads of memory that no thread has written, unless told
	// not to. It is strict (see Strict) unless told otherwise.
	Unwritten
	// Strict: the device can end a launch at what PTX and CUDA leave undefined.
	Strict
	// RaceDetection: the device can look for data races.
	RaceDetection
	// Deadline: the device can omit or keep checks, and can end a kernel that runs too
	// long.
	Deadline
	// Silicon: the device is real hardware, so its time is measured and not modelled.
	Silicon
	// Schedules: the order in which blocks are placed and warps access memory can be chosen.
	Schedules
	// Peers: it implements Group.
	Peers
	// Nested: it implements Nester.
	Nested

	capabilities = iota
)

// lacks describes devices without each capability; the text follows the device's name in a
// message.
var lacks = [capabilities]string{
	"has no clock",
	"does not count what kernels do",
	"does not show where its time goes",
	"does not show what happens over time",
	"is not simulated",
	"is not simulated",
	"cannot run launches concurrently",
	"has no parameters",
	"does not support a budget",
	"does not detect reads of memory that no thread has written",
	"does not detect what PTX leaves undefined",
	"cannot look for data races",
	"always checks, and detects hangs itself",
	"is not a real GPU",
	"runs its threads in an order of its own",
	"is a single GPU",
	"has no kernels that start kernels",
}

// Has reports whether c includes all capabilities in need.
func (c Capabilities) Has(need Capabilities) bool { return c&need == need }

// Lacks describes which capabilities of need are missing in c, as a text that follows the
// device's name: "has no clock". It returns "" if none is missing.
func (c Capabilities) Lacks(need Capabilities) string {
	var words []string
	for missing := need &^ c; missing != 0; missing &= missing - 1 {
		if w := lacks[bits.TrailingZeros(uint(missing))]; len(words) == 0 || words[len(words)-1] != w {
			words = append(words, w)
		}
	}
	return strings.Join(words, " and ")
}
