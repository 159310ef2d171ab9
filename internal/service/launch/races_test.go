package launch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
)

// TestRacesOfTheOther checks that races which only the device to compare with looks for are not lost.
func TestRacesOfTheOther(t *testing.T) {
	at, err := catalog.Mount("../../diagnosis/race/testdata/planted")
	require.NoError(t, err)
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	q := Request{Compiler: kernels, Kernel: at + ".IncrementRace", Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}}
	q.Args, err = ParseAssignments(option.Arg, []string{"data=zeros:256", "flag=zeros:8"})
	require.NoError(t, err)
	j, err := Prepare(t.Context(), q)
	require.NoError(t, err)
	for _, race := range [][2]bool{{false, true}, {true, false}, {true, true}} {
		one, err := devices.New("sim:tiny", devices.Options{Race: race[0]})
		require.NoError(t, err)
		other, err := devices.New("func", devices.Options{Race: race[1]})
		require.NoError(t, err)
		r, err := j.Run(t.Context(), Options{Device: one, Against: other})
		require.NoError(t, err)
		assert.Len(t, r.Races, 1, race)
		assert.Error(t, r.RaceErr())
	}
}
