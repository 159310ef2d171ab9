package hugepage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 2*size - 1, 2 * size, 2*size + 4097, 7*size + 1} {
		s := Make[byte](n)
		require.Len(t, s, n)
		assert.Equal(t, n, cap(s))
		for i := 0; i < n; i += 4096 {
			require.Zero(t, s[i])
			s[i] = byte(i >> 12)
		}
		if n > 0 {
			s[n-1] = 0xAA
		}
		for i := 0; i < n-1; i += 4096 {
			require.Equal(t, byte(i>>12), s[i], "what is written stays")
		}
	}
	type line struct {
		_    uint64
		next *int
	}
	x := Make[line](size)
	x[size-1].next = new(int)
	*x[size-1].next = 7
	assert.Equal(t, 7, *x[size-1].next)
	assert.Nil(t, x[0].next)
}
