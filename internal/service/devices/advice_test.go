package devices

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/usage"
)

// TestAdvise checks that what a device found is joined with the options that help, each reader's own, and only where they
// help.
func TestAdvise(t *testing.T) {
	full := &device.WaitGraph{Causes: []device.WaitingCause{{Kind: device.CauseCycle}, {Kind: device.CauseNotResident}}}
	for _, c := range []struct {
		name, device  string
		options       Options
		err           error
		shaped        bool
		flag, program string
	}{
		{"fault without a place", "hw", Options{}, &device.Fault{}, true, "run it again with --check to see where", "run it again with Options.Check to see where"},
		{"fault with checks", "hw", Options{Check: true}, &device.Fault{}, true, "", ""},
		{"fault with a place", "hw", Options{}, &device.Fault{At: []device.Frame{{File: "a.go"}}}, true, "", ""},
		{"fault of a simulated machine", "sim:h200", Options{}, &device.Fault{}, true, "", ""},
		{"hang without reasons", "hw", Options{}, &device.HangError{}, false, "a simulated machine shows who waits for whom, such as --device sim:h200", "a simulated machine shows who waits for whom, such as sim:h200"},
		{"blocks that do not fit", "sim:k40", Options{}, &device.HangError{Graph: full}, true,
			"--grid sets the number of blocks, and with --cooperative a grid that does not fit is refused",
			"Launch.Grid sets the number of blocks, and with Launch.Cooperative a grid that does not fit is refused"},
		{"undecided", "sim:k40", Options{}, &device.UndecidedError{Graph: full}, true,
			"--grid sets the number of blocks, and with --cooperative a grid that does not fit is refused",
			"Launch.Grid sets the number of blocks, and with Launch.Cooperative a grid that does not fit is refused"},
		{"blocks of a scheme", "sim:k40", Options{}, &device.HangError{Graph: full}, false, "", ""},
		{"another hang", "sim:k40", Options{}, &device.HangError{Graph: &device.WaitGraph{}}, true, "", ""},
		{"another error", "hw", Options{}, errors.New("no driver"), true, "", ""},
	} {
		s, err := New(c.device, c.options)
		require.NoError(t, err)
		got := s.Advise(c.err, c.shaped)
		require.ErrorIs(t, got, c.err, c.name)
		assert.Equal(t, c.err.Error(), got.Error(), c.name)
		assert.Equal(t, c.flag, usage.HintOf(got).In(usage.CommandLine), c.name)
		assert.Equal(t, c.program, usage.HintOf(got).In(usage.Program), c.name)
	}
	s, err := New("hw", Options{})
	require.NoError(t, err)
	require.NoError(t, s.Advise(nil, true))
	require.NoError(t, s.AdvisePTX(nil, true))

	// Nothing compiles checks into a kernel of PTX.
	assert.Equal(t, "--device func says where", usage.HintOf(s.AdvisePTX(&device.Fault{}, true)).In(usage.CommandLine))
	assert.True(t, usage.HintOf(s.AdvisePTX(&device.Fault{At: []device.Frame{{File: "a.cu"}}}, true)).Empty())
	assert.Equal(t, "a simulated machine shows who waits for whom, such as --device sim:h200", usage.HintOf(s.AdvisePTX(&device.HangError{}, true)).In(usage.CommandLine))
}
