package counter

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKnownStall(t *testing.T) {
	drain := KnownStall{Name: "drain", Kernels: 86, Simulated: 0.175, Recorded: 0.007, Difference: 0.167}
	assert.False(t, drain.Trusted())
	assert.Equal(t, "on an H200 0.7% where 17.5% is simulated, over 86 kernels: not trusted", drain.String())
	long := KnownStall{Name: "long_scoreboard", Kernels: 86, Simulated: 0.571, Recorded: 0.472, Difference: 0.102}
	assert.True(t, long.Trusted())
	assert.Equal(t, "on an H200 47.2% where 57.1% is simulated, over 86 kernels", long.String())
	assert.False(t, KnownStall{Recorded: 0.141, Difference: 0.141}.Trusted(), "not simulated at all")
	assert.Equal(t, "off by 9.8% over 86 kernels", KnownError{Kernels: 86, Mean: 0.098}.String())

	before := known
	t.Cleanup(func() { known = before })
	known = Known{Counters: []KnownError{{Name: "a", Kernels: 3, Mean: 0.5}}, Stalls: []KnownStall{drain, {Name: "not_selected", Simulated: 0.002, Recorded: 0.008, Difference: 0.006}}}
	assert.True(t, Untrusted("drain"))
	assert.False(t, Untrusted("not_selected"), "it hardly occurs in the record, which says nothing of kernels in which it does")
	assert.False(t, Untrusted("none"))
	e, ok := ErrorOf("a")
	assert.True(t, ok)
	assert.Equal(t, 3, e.Kernels)
	_, ok = ErrorOf("b")
	assert.False(t, ok)
}

// TestRecorded checks that every name of the embedded table is a counter or a stall reason.
func TestRecorded(t *testing.T) {
	assert.NotEmpty(t, known.Counters)
	for _, e := range known.Counters {
		_, ok := Find(e.Name)
		assert.True(t, ok, e.Name)
	}
	names := map[string]bool{}
	for i := range Stalls {
		names[Stalls[i].Name] = true
	}
	for _, s := range known.Stalls {
		assert.True(t, names[s.Name], s.Name)
	}
}
