package waitfor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLists checks that only a list of which something is left out ends in dots.
func TestLists(t *testing.T) {
	var list []string
	for i, want := range []string{"a", "a and b", "a, b and c", "a, b, c and d", "a, b, c, d, ...", "a, b, c, d, ..."} {
		list = distinct(list, string(rune('a'+i)))
		list = distinct(list, "a")
		assert.Equal(t, want, listOf(list))
	}
}
