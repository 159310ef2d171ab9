package mbarrier_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/mbarrier"
)

func start(t *testing.T, count uint64) mbarrier.State {
	s, why := mbarrier.State(0).Init(count)
	require.Empty(t, why)
	return s
}

// TestPhases follows what the PTX ISA says of phases: one is complete when no arrival and no byte is missing; then the next one
// waits for the same number of arrivals.
func TestPhases(t *testing.T) {
	for count := uint64(1); count <= mbarrier.MaxCount; count += 1 + count/2 {
		s := start(t, count)
		assert.EqualValues(t, count, s.Count())
		assert.EqualValues(t, count, s.Pending())
	}
	s := start(t, 3)
	type numbers struct {
		pending, count, bytes int
		parity                uint32
	}
	now := func() numbers { return numbers{s.Pending(), s.Count(), s.Bytes(), s.Parity()} }
	do := func(next mbarrier.State, why string) {
		require.Empty(t, why)
		s = next
	}
	assert.Equal(t, numbers{3, 3, 0, 0}, now())
	do(s.Arrive(1))
	do(s.Expect(64))
	do(s.Arrive(2))
	assert.Equal(t, numbers{0, 3, 64, 0}, now(), "bytes are missing")
	do(s.Complete(16))
	do(s.Complete(48))
	assert.Equal(t, numbers{3, 3, 0, 1}, now(), "the second phase")
	do(s.Complete(32))
	assert.Equal(t, -32, s.Bytes(), "a copy may end before its bytes are expected")
	do(s.Arrive(2))
	do(s.ArriveExpect(32))
	assert.Equal(t, numbers{3, 3, 0, 0}, now(), "the third phase")
	do(s.Expect(mbarrier.MaxBytes))
	assert.Equal(t, mbarrier.MaxBytes, s.Bytes())
	do(s.Inval())
	assert.False(t, s.Valid())
}

// TestDrops follows what the PTX ISA says of arrive_drop: the count of later phases is less by as much as arrives.
func TestDrops(t *testing.T) {
	s := start(t, 5)
	do := func(next mbarrier.State, why string) {
		require.Empty(t, why)
		require.True(t, next.Valid())
		s = next
	}
	numbers := func() [4]int { return [4]int{s.Pending(), s.Count(), s.Bytes(), int(s.Parity())} }
	do(s.Drop(2))
	assert.Equal(t, [4]int{3, 3, 0, 0}, numbers())
	do(s.ArrivePart(2))
	do(s.DropExpect(32))
	assert.Equal(t, [4]int{0, 2, 32, 0}, numbers(), "bytes are missing")
	do(s.Complete(32))
	assert.Equal(t, [4]int{2, 2, 0, 1}, numbers(), "the second phase takes two")
	do(s.DropPart(1))
	do(s.Track())
	do(s.Arrive(1))
	do(s.Drop(1))
	assert.Equal(t, [4]int{0, 0, 0, 0}, numbers(), "nobody is left in the third one")
	assert.Empty(t, s.Wait())
	do(s.Expect(16))
	do(s.Complete(16))
	assert.Equal(t, [4]int{0, 0, 0, 1}, numbers(), "bytes alone may complete it")
	_, why := s.Inval()
	assert.Empty(t, why)
	assert.False(t, mbarrier.State(0x4000000000000000).Valid(), "the number 2 as a float64")
}

// TestMisuse has what PTX leaves undefined, beside what is allowed at the limits.
func TestMisuse(t *testing.T) {
	_, why := mbarrier.State(0).Init(mbarrier.MaxCount)
	assert.Empty(t, why)
	full := start(t, 1)
	expects, _ := full.ArriveExpect(16)
	two := start(t, 2)
	gone, _ := two.Drop(2)
	for name, step := range map[string]func() (mbarrier.State, string){
		"1 to 1048575":                       func() (mbarrier.State, string) { return mbarrier.State(0).Init(0) },
		"1048576 arrivals":                   func() (mbarrier.State, string) { return mbarrier.State(0).Init(mbarrier.MaxCount + 1) },
		"that is in use":                     func() (mbarrier.State, string) { return full.Init(1) },
		"arrival at an mbarrier":             func() (mbarrier.State, string) { return mbarrier.State(0).Arrive(1) },
		"counts as 0":                        func() (mbarrier.State, string) { return full.Arrive(0) },
		"waits for 1 of 1":                   func() (mbarrier.State, string) { return full.Arrive(2) },
		"waits for 0 of 1, and for 16 bytes": func() (mbarrier.State, string) { return expects.Arrive(1) },
		"3 more drop out of an mbarrier whose phases take 2 arrivals": func() (mbarrier.State, string) { return two.Drop(3) },
		"1 more arrivals at an mbarrier whose phase waits for 0 of 1": func() (mbarrier.State, string) { return expects.Drop(1) },
		"whose phase waits for 0 of 1, and for 16":                    func() (mbarrier.State, string) { return expects.DropExpect(8) },
		"phase waits for 0 of 0":                                      func() (mbarrier.State, string) { return gone.Arrive(1) },
		"(.noComplete) that completes":                                func() (mbarrier.State, string) { return full.ArrivePart(1) },
		"an arrival without completion":                               func() (mbarrier.State, string) { return two.DropPart(2) },
		"arrival at an mbarrier that is not":                          func() (mbarrier.State, string) { return mbarrier.State(0).Drop(1) },
		"inval at an mbarrier":                                        func() (mbarrier.State, string) { return mbarrier.State(0).Inval() },
		"expects 16":                                                  func() (mbarrier.State, string) { return expects.Expect(mbarrier.MaxBytes) },
	} {
		_, why := step()
		assert.Contains(t, why, name)
	}
	assert.NotEmpty(t, mbarrier.State(0).Wait())
	assert.Empty(t, full.Wait())
}
