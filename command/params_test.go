package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/scheduler"
)

// TestShortForms checks that --block and --max-iterations set parameters of a
// scheme, and are rejected by a scheme without them.
func TestShortForms(t *testing.T) {
	o := runOptions{block: 96, params: []string{"damping=0.9, warp.direction=pull"}, changed: func(flag string) bool { return flag == "block" }}
	given, err := o.given(scheduler.Scheme{Name: "warp", Params: []scheduler.Param{scheduler.BlockParam()}})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"damping": "0.9", "warp.direction": "pull", "warp.block": "96"}, given)

	_, err = o.given(scheduler.Scheme{Name: "atos"})
	require.EqualError(t, err, "--block: scheduler atos has no such parameter")
	o.changed = func(flag string) bool { return flag == "max-iterations" }
	_, err = o.given(scheduler.Scheme{Name: "atos", Params: []scheduler.Param{scheduler.BlockParam()}})
	require.EqualError(t, err, "--max-iterations: scheduler atos has no such parameter")
}
