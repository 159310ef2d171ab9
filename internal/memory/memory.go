// Package memory says how much memory there is, so that what asks for far too
// much is refused with both figures before it is allocated: a process that the
// system kills for its memory says nothing.
package memory

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"unsafe"
)

// Error says that something needs more memory than there is.
type Error struct {
	What      string // what needs it: "the graph rmat:scale=31"
	Needed    uint64 // bytes; math.MaxUint64 for that many or more
	Available uint64 // bytes
}

// Error states both figures.
func (e *Error) Error() string {
	return fmt.Sprintf("%s needs %s of memory, and %s are available", e.What, size(e.Needed), size(e.Available))
}

// size returns a number of bytes for people.
func size(bytes uint64) string {
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

// unchecked is the need for which it is not worth to ask the system.
const unchecked = 32 << 20

// Need returns an error (*Error) where that many bytes more are not available.
// What needs them is named by what and the arguments, as for fmt.Sprintf.
// Nothing is reserved.
func Need(bytes uint64, what string, args ...any) error {
	if bytes < unchecked {
		return nil
	}
	available, known := Available()
	if !known || bytes <= available {
		return nil
	}
	return &Error{What: fmt.Sprintf(what, args...), Needed: bytes, Available: available}
}

// Bytes returns the size of n elements of type T; math.MaxUint64 where 64 bits
// do not hold it.
func Bytes[T any](n uint64) uint64 {
	var zero T
	each := uint64(unsafe.Sizeof(zero))
	if each > 0 && n > math.MaxUint64/each {
		return math.MaxUint64
	}
	return n * each
}

// Sum adds numbers of bytes; math.MaxUint64 where 64 bits do not hold it.
func Sum(bytes ...uint64) (sum uint64) {
	for _, b := range bytes {
		if sum+b < sum {
			return math.MaxUint64
		}
		sum += b
	}
	return sum
}

// Available returns how many bytes this process can still take: what the system
// has free or can free (/proc/meminfo), what the limits of its control groups
// leave, and what the limit on its address space and GOMEMLIMIT leave; the
// least of them, with what Go holds free. known is false where nothing says: on
// systems without /proc, where GOMEMLIMIT is not set.
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

// goMemory returns what Go's runtime holds free, in bytes of memory, and what
// it uses beside that.
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
