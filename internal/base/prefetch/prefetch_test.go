package prefetch

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNothingChanges asks for values of all sizes and in all places: they stay as they are, and what is not there, at
// nil or behind the end of the memory, is no error.
func TestNothingChanges(t *testing.T) {
	Value[uint64](nil)
	Value[[1000]byte](nil)
	Bytes(nil)
	want := bytes.Repeat([]byte{0x5A}, 1<<16)
	got := bytes.Clone(want)
	for n := range 300 {
		Bytes(got[n:])
		Bytes(got[:n])
		Value(&got[len(got)-1-n])
		Value((*[256]byte)(got[n:]))
	}
	assert.Equal(t, want, got)
	x := [3]struct{ a, b *int }{{a: new(int)}}
	Value(&x)
	assert.NotNil(t, x[0].a)
	assert.Nil(t, x[2].b)
}
