package memory

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"unsafe"
)

// Error reports that something needs more memory than is available.
type Error struct {
	What      string // what needs the memory: "the graph rmat:scale=31"
	Needed    uint64 // bytes; math.MaxUint64 for that many or more
	Available uint64 // bytes
}

// Error states both figures.
func (e *Error) Error() string {
	return fmt.Sprintf("%s needs %s of memory, and %s are available", e.What, Size(e.Needed), Size(e.Available))
}

// Size formats a number of bytes.
func Size(bytes uint64) string {
	switch {
	case bytes == math.MaxUint64:
		return "more than 16 EiB"
	case bytes >= 1<<40:
		return fmt.Sprintf("%.1f TiB", float64(bytes)/(1<<40))
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

// unchecked is the size below which Need does not ask the system.
const unchecked = 32 << 20

// Need returns an *Error if that many more bytes are not available, also after
// the garbage of this process was collected: what an earlier run has left may be
// all that is missing. what and the arguments, as for fmt.Sprintf, name what
// needs them. Need reserves nothing.
func Need(bytes uint64, what string, args ...any) error {
	if bytes < unchecked {
		return nil
	}
	available, known := Available()
	if !known || bytes <= available {
		return nil
	}
	debug.FreeOSMemory()
	if available, _ = Available(); bytes <= available {
		return nil
	}
	return &Error{What: fmt.Sprintf(what, args...), Needed: bytes, Available: available}
}

// Bytes returns the size of n elements of type T; math.MaxUint64 if it
// overflows.
func Bytes[T any](n uint64) uint64 {
	var zero T
	each := uint64(unsafe.Sizeof(zero))
	if each > 0 && n > math.MaxUint64/each {
		return math.MaxUint64
	}
	return n * each
}

// Sum adds numbers of bytes; it returns math.MaxUint64 if the sum overflows.
func Sum(bytes ...uint64) (sum uint64) {
	for _, b := range bytes {
		if sum+b < sum {
			return math.MaxUint64
		}
		sum += b
	}
	return sum
}

// Available returns how many more bytes this process can use. It is the minimum
// of what the system has free or can free (/proc/meminfo), what the limits of
// its control groups leave, and what the limit on its address space and
// GOMEMLIMIT leave, plus the memory that Go's runtime holds free. known is
// false if none of these is known: on systems without /proc if GOMEMLIMIT is
// not set.
func Available() (bytes uint64, known bool) {
	free, heap := goMemory()
	bytes, known = system{os.DirFS("/")}.available()
	if left, ok := addressSpace(); ok {
		bytes, known = min(bytes, left), true
	}
	if known {
		bytes += free
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		left := uint64(0)
		if uint64(limit) > heap {
			left = uint64(limit) - heap
		}
		bytes, known = min(bytes, left), true
	}
	return bytes, known
}

// goMemory returns how many bytes of memory Go's runtime holds free, and how
// many more it uses.
func goMemory() (free, used uint64) {
	s := []metrics.Sample{
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/total:bytes"},
	}
	metrics.Read(s)
	free = s[0].Value.Uint64()
	return free, s[2].Value.Uint64() - s[1].Value.Uint64() - free
}
