package race_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
)

const racySource = `package racy

import "github.com/weft-gpu/weft/gpu"

func End(t gpu.Thread, x []uint32) {
	x[0] = 1 //weft:racy all store 1
}

func Above(t gpu.Thread, x []uint32) {
	//weft:racy all store 2
	x[0] = 2
	x[1] = 2
}

// Whole stores the same everywhere.
//
//weft:racy all store 3
func Whole(t gpu.Thread, x []uint32) {
	x[0] = 3

	x[1] = 3
}

func set(x []uint32) { x[0] = 4 }

func Called(t gpu.Thread, x []uint32) {
	set(x) //weft:racy all store 4
}

func Elsewhere(t gpu.Thread, x []uint32) {
	x[2+t.Idx()] = 5 //weft:racy nobody races here
	set(x)
}

// Reader reads what no thread has written and none will.
func Reader(t gpu.Thread, x []uint32) {
	q := gpu.Shared[[64]uint32](t)
	x[t.Idx()] = q[t.Idx()]
}
`

func racyCompiler(source string) *compile.Compiler {
	c := compile.New()
	c.Mount(compile.Module+"/racy", fstest.MapFS{"racy.go": {Data: []byte(source)}})
	return c
}

// launchRacy launches a kernel of racySource with a block of 32 threads.
func launchRacy(t *testing.T, name string) ([]device.Race, error) {
	races := device.NewRaces()
	d := function.New(function.Options{Races: races})
	k, err := racyCompiler(racySource).Kernel(t.Context(), "racy."+name, nil)
	require.NoError(t, err)
	x, err := d.Alloc("x", device.U32, 64)
	require.NoError(t, err)
	_, err = d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 1, Block: 32, Args: []any{x}})
	return races.List(), err
}

// A comment allows the races of its line, of the line below it, of its function,
// and of calls in them, and no others.
func TestRacyOnPurpose(t *testing.T) {
	for _, c := range []struct {
		kernel string
		want   []string
	}{
		{"End", []string{"all store 1"}},
		{"Above", []string{"", "all store 2"}},
		{"Whole", []string{"all store 3", "all store 3"}},
		{"Called", []string{"all store 4"}},
		{"Elsewhere", []string{""}},
	} {
		races, err := launchRacy(t, c.kernel)
		require.NoError(t, err, c.kernel)
		var reasons []string
		for _, r := range races {
			reasons = append(reasons, r.Racy)
			assert.EqualValues(t, 31, r.Count, "each lane races with the one before it")
		}
		assert.Equal(t, c.want, reasons, c.kernel)
	}
	races, err := launchRacy(t, "Above")
	require.NoError(t, err)
	assert.EqualError(t, device.RaceErr(races), "data race between a pair of lines, 31 times")
	assert.NoError(t, device.RaceErr(races[1:]))
	assert.Equal(t, "race in kernel racy.Above on x[0], 31 times: plain accesses that nothing orders\n"+
		"\tplain store at racy/racy.go:11:3 by block 0, warp 0, lane 0 (thread 0)\n"+
		"\tplain store at racy/racy.go:11:3 by block 0, warp 0, lane 1 (thread 1)\n"+
		"\tintended: all store 2", races[1].String())
}

// A comment without a reason does not compile.
func TestRacyNeedsAReason(t *testing.T) {
	_, err := racyCompiler("package racy\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\nfunc K(t gpu.Thread, x []uint32) {\n\tx[0] = 1 //weft:racy\n}\n").Kernel(t.Context(), "racy.K", nil)
	assert.ErrorContains(t, err, "racy/racy.go:6:11: //weft:racy needs a reason: //weft:racy why this race does no harm")
}

// A read of unwritten memory is an error if no race explains it.
func TestUnwrittenWithoutARace(t *testing.T) {
	races, err := launchRacy(t, "Reader")
	assert.Empty(t, races)
	assert.ErrorContains(t, err, "element 0 of shared q is read, but no thread of the block has written it")
}
