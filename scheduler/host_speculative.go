//go:build !kernel

package scheduler

// speculativeMethods are the methods that Speculative has beyond Algorithm.
var speculativeMethods = []string{"Choose", "Conflict", "Guess"}

// Speculates reports whether the type has the methods that make it a Speculative.
func (t Type) Speculates() bool {
	for _, m := range speculativeMethods {
		if t.From[m] == "" {
			return false
		}
	}
	return true
}
