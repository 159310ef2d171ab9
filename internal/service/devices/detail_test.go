package devices

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDetailText checks the text for users.
func TestDetailText(t *testing.T) {
	assert.Equal(t, "launches 10 to 12 of 1,003 at cycle level, the others functionally; cycles and counters are of those",
		(&Detail{First: 10, Last: 12, Detailed: 3, Functionally: 1000}).String())
	assert.Equal(t, "none: there were 7 launches, all run functionally", (&Detail{First: 10, Last: 12, Functionally: 7}).String())
}
