package sweep

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/service/option"
)

// TestKeysComeFromTheTable checks that a setting is an option of the table, or what a command line names first.
func TestKeysComeFromTheTable(t *testing.T) {
	first := []string{"algorithm", "kernel"}
	for _, s := range setters {
		declared := slices.ContainsFunc(option.Table(), func(o *option.Option) bool { return o.Key == s.name })
		assert.True(t, declared || slices.Contains(first, s.name), s.name)
	}
}
