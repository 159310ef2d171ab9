package difftest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	c, err := Corpus(true)
	require.NoError(t, err)
	require.NoError(t, c.Check("corpus"))
}
