package hangs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/measure/hangs"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// runner returns a runner of scenarios on a device.
func runner(t testing.TB, name string, set ...string) *hangs.Runner {
	t.Helper()
	spec, err := devices.New(name, devices.Options{Set: set, Seed: 1})
	require.NoError(t, err)
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	values, _ := spec.Machine()
	return &hangs.Runner{
		Kernels: kernels, Machine: hangs.MachineOf(spec.Can(), values),
		Open: func(ctx context.Context) (device.Device, error) { return spec.Open(ctx, devices.Watch{}) },
	}
}

// one runs a scenario.
func one(t testing.TB, r *hangs.Runner, scenario string, set map[string]string) *hangs.Result {
	t.Helper()
	res, err := r.Run(t.Context(), hangs.Find(scenario), set)
	require.NoError(t, err, "%s %v", scenario, set)
	return res
}

// outcomes runs all scenarios in all of their cases, and returns how many ended in each way.
func outcomes(t *testing.T, r *hangs.Runner, name string) map[hangs.Outcome]int {
	t.Helper()
	count := map[hangs.Outcome]int{}
	for _, s := range hangs.Scenarios() {
		for _, set := range s.Cases {
			res := one(t, r, s.Name, set)
			assert.True(t, res.AsExpected, "%s %v on %s: %s, and expected is %s\n%v", s.Name, set, name, res.Outcome, res.Expected, res.Err)
			assert.Len(t, res.Expected.Outcomes, 1, "%s %v on %s: a device of ours leaves nothing open", s.Name, set, name)
			assert.Equal(t, res.Outcome != hangs.Ends, res.Err != nil)
			count[res.Outcome]++
		}
	}
	return count
}

// TestScenarios checks that each scenario hangs and ends where it is expected to, on machines with
// and without independent lanes, arrival by warp and global loads in L1.
func TestScenarios(t *testing.T) {
	for name, want := range map[string]map[hangs.Outcome]int{
		"func":     {hangs.Hangs: 15, hangs.Ends: 29, hangs.Rejected: 1, hangs.Faults: 1},
		"sim:tiny": {hangs.Hangs: 20, hangs.Ends: 25, hangs.Rejected: 1},
		"sim:k40":  {hangs.Hangs: 17, hangs.Ends: 27, hangs.Rejected: 1, hangs.Wrong: 1},
	} {
		assert.Equal(t, want, outcomes(t, runner(t, name), name), name)
	}
	its := outcomes(t, runner(t, "sim:tiny", "sm.divergence=its"), "sim:tiny with independent lanes")
	assert.Equal(t, map[hangs.Outcome]int{hangs.Hangs: 16, hangs.Ends: 29, hangs.Rejected: 1}, its)
}

// TestHeavyScenarios does the same on larger machines: one with all of its SMs, and one of an older kind with some.
func TestHeavyScenarios(t *testing.T) {
	for name, set := range map[string][]string{"sim:v100": {"sm.count=8"}, "sim:h200": nil} {
		count := outcomes(t, runner(t, name, set...), name)
		assert.Equal(t, map[hangs.Outcome]int{hangs.Hangs: 16, hangs.Ends: 29, hangs.Rejected: 1}, count, name)
	}
}

// TestSchedulesOfScenarios checks that the outcome of a scenario does not depend on the schedule: all of
// them wait for each other in a way that hangs, or ends, in every order.
func TestSchedulesOfScenarios(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 2
	}
	r := runner(t, "sim:tiny", "sm.divergence=its")
	for seed := range seeds {
		r.Open = func(context.Context) (device.Device, error) {
			cfg, err := config.Load("tiny")
			if err != nil {
				return nil, err
			}
			if err := cfg.Set("sm.divergence", "its"); err != nil {
				return nil, err
			}
			cfg.VarySchedules()
			return sim.New(cfg, sim.Options{Seed: seed, Budget: 50_000_000})
		}
		outcomes(t, r, fmt.Sprintf("sim:tiny, seed %d", seed))
	}
}

// TestSimdxExample checks the example of SIMD-X, section 5: kernels of 110 registers and blocks of
// 128 threads on a K40. Its formula says 60 blocks, which end, and one more hangs. With 24
// registers it says 315, which hangs, since an SM has 16 block slots, and 240 end.
func TestSimdxExample(t *testing.T) {
	r := runner(t, "sim:k40")
	for _, c := range []struct {
		registers, blocks string
		grid              int
		outcome           hangs.Outcome
		limit             string
	}{
		{"110", "eq1", 60, hangs.Ends, "registers"},
		{"110", "61", 61, hangs.Hangs, "registers"},
		{"24", "eq1", 315, hangs.Hangs, "blocks"},
		{"24", "fit", 240, hangs.Ends, "blocks"},
		{"24", "241", 241, hangs.Hangs, "blocks"},
	} {
		res := one(t, r, "barrier-simdx", map[string]string{hangs.Registers: c.registers, hangs.Blocks: c.blocks})
		require.Equal(t, c.grid, res.Blocks)
		require.Equal(t, c.outcome, res.Outcome, "%d blocks of %s registers", c.grid, c.registers)
		require.Equal(t, c.limit, res.Limit)
	}
}

// TestReportOfSimdxExample checks that the report of a grid that is too large says which resource is
// full and names the largest grid that ends.
func TestReportOfSimdxExample(t *testing.T) {
	r := runner(t, "sim:k40")
	for _, c := range []struct {
		registers, blocks string
		residency         device.Residency
	}{
		{"110", "61", device.Residency{Blocks: 61, PerSM: 4, SMs: 15, Limit: "registers", LargestGrid: 60, Registers: 110, ThreadsPerBlock: 128}},
		{"24", "eq1", device.Residency{Blocks: 315, PerSM: 16, SMs: 15, Limit: "blocks", LargestGrid: 240, Registers: 24, ThreadsPerBlock: 128}},
	} {
		res := one(t, r, "barrier-simdx", map[string]string{hangs.Registers: c.registers, hangs.Blocks: c.blocks})
		var hang *device.HangError
		require.ErrorAs(t, res.Err, &hang)
		require.NotNil(t, hang.Graph)
		have := hang.Graph.Residency
		require.Equal(t, c.residency, device.Residency{Blocks: have.Blocks, PerSM: have.PerSM, SMs: have.SMs, Limit: have.Limit, LargestGrid: have.LargestGrid, Registers: have.Registers, ThreadsPerBlock: have.ThreadsPerBlock})
		require.Contains(t, hang.Error(), fmt.Sprintf("launch at most %d blocks", c.residency.LargestGrid))
	}
}

// TestLargest checks that bisection finds the grid that occupancy says, on machines where
// registers and where warps limit it.
func TestLargest(t *testing.T) {
	for _, c := range []struct {
		device, scenario string
		set              map[string]string
		largest, next    int
		equation, fits   int
	}{
		{"sim:k40", "barrier-simdx", nil, 60, 61, 60, 60},
		{"sim:k40", "barrier-simdx", map[string]string{hangs.Registers: "24"}, 240, 241, 315, 240},
		{"sim:tiny", "barrier-tree", map[string]string{hangs.Threads: "512"}, 4, 5, 4, 4},
		{"sim:tiny", "barrier-cooperative", nil, 2, 3, 2, 2},
		{"sim:tiny", "barrier-discovery", nil, 5, 0, 2, 2},
		{"sim:tiny", "producer-consumer", nil, 2, 4, 2, 2},
		{"sim:tiny", "work-queue", nil, 0, 1, 128, 8},
	} {
		out, err := runner(t, c.device).Largest(t.Context(), hangs.Find(c.scenario), c.set)
		require.NoError(t, err)
		require.Equal(t, [4]int{c.largest, c.next, c.equation, c.fits}, [4]int{out.Ends, out.Next, out.EquationOne, out.Resident}, "%s on %s: %v", c.scenario, c.device, out.Tries)
		require.NotContains(t, out.Parameters, hangs.Blocks)
	}
	_, err := runner(t, "sim:tiny").Largest(t.Context(), hangs.Find("sync-left"), nil)
	require.EqualError(t, err, "the grid of scenario sync-left has a fixed size, 1")
	_, err = runner(t, "sim:tiny").Largest(t.Context(), hangs.Find("barrier-sense"), map[string]string{"rounds": "0"})
	require.EqualError(t, err, "parameter rounds of scenario barrier-sense: 0 is not a whole number from 1 to 10000")
}

// TestUndecided checks that a budget ends a launch, which is an outcome of its own.
func TestUndecided(t *testing.T) {
	r := runner(t, "sim:tiny")
	r.Open = func(context.Context) (device.Device, error) {
		cfg, err := config.Load("tiny")
		require.NoError(t, err)
		return sim.New(cfg, sim.Options{Budget: 10_000})
	}
	long := map[string]string{"rounds": "10000", hangs.Blocks: "1"}
	res := one(t, r, "barrier-locks", long)
	require.Equal(t, hangs.Undecided, res.Outcome)
	require.False(t, res.AsExpected)
	_, err := r.Largest(t.Context(), hangs.Find("barrier-locks"), map[string]string{"rounds": "10000"})
	require.ErrorContains(t, err, "scenario barrier-locks with a grid of 1: undecided: kernel")
}

// TestList checks that what the list says is complete and that its defaults and cases are valid.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range hangs.Scenarios() {
		require.False(t, seen[s.Name], s.Name)
		seen[s.Name] = true
		require.NotEmpty(t, s.Title)
		require.NotEmpty(t, s.Source)
		require.True(t, strings.HasSuffix(s.Why, "."), s.Name)
		require.NotEmpty(t, s.Cases, s.Name)
		for _, set := range append(s.Cases, nil) {
			v, err := s.Values(set)
			require.NoError(t, err)
			require.Len(t, v.Texts(), len(s.Params))
		}
		for _, p := range s.Params {
			require.NotEmpty(t, p.Doc, "%s %s", s.Name, p.Name)
		}
	}
	require.Equal(t, hangs.Names()[0], hangs.Find(hangs.Names()[0]).Name)
	require.Nil(t, hangs.Find("nothing"))
}

// TestMistakes checks the errors for invalid parameters.
func TestMistakes(t *testing.T) {
	r := runner(t, "sim:tiny")
	for want, c := range map[string]struct {
		scenario string
		set      map[string]string
	}{
		`scenario sync-left has no parameter "blocks"; there are: threads`:                                                                                                                                       {"sync-left", map[string]string{"blocks": "2"}},
		"parameter threads of scenario sync-left: 33 is not a multiple of 64 from 64 to 1024":                                                                                                                    {"sync-left", map[string]string{"threads": "33"}},
		`parameter who of scenario lock-plain: "all" is not one of lanes, blocks`:                                                                                                                                {"lock-plain", map[string]string{"who": "all"}},
		"parameter blocks of scenario producer-consumer: 3 blocks: the number must be a multiple of 2":                                                                                                           {"producer-consumer", map[string]string{"blocks": "3"}},
		"parameter blocks of scenario barrier-tree: the grid has 0 blocks; it may have 1 to 1048576":                                                                                                             {"barrier-tree", map[string]string{"blocks": "fit-2"}},
		`parameter blocks of scenario barrier-tree: "0" is no grid: write a number from 1 to 1048576, fit for as many blocks as are resident, eq1 for what equation 1 of SIMD-X says, or such as fit+1 or 2*fit`: {"barrier-tree", map[string]string{"blocks": "0"}},
	} {
		_, err := r.Run(t.Context(), hangs.Find(c.scenario), c.set)
		require.EqualError(t, err, want)
	}
}

// TestGrid checks the values of expressions.
func TestGrid(t *testing.T) {
	for text, want := range map[string]int{"7": 7, "fit": 10, "fit+1": 11, "fit-3": 7, "2*fit": 20, "3*fit+2": 32, "eq1": 15, "eq1+1": 16} {
		g, err := hangs.ParseGrid(text)
		require.NoError(t, err, text)
		n, err := g.Of(10, 15, 1)
		require.NoError(t, err, text)
		require.Equal(t, want, n, text)
	}
	g, err := hangs.ParseGrid("fit+1")
	require.NoError(t, err)
	n, err := g.Of(10, 15, 4)
	require.NoError(t, err)
	require.Equal(t, 8, n, "rounded down to a multiple of 4")
	for _, text := range []string{"", "0", "-1", "1.5", "fit+", "*fit", "fit*2", "eq2", "fit+-1", "9999999"} {
		_, err := hangs.ParseGrid(text)
		require.ErrorContains(t, err, "is no grid", text)
	}
}

// TestMachine checks what is derived from the parameters of machines.
func TestMachine(t *testing.T) {
	for name, want := range map[string]hangs.Machine{
		"sim:k40":  {SyncByWarp: true, SMs: 15},
		"sim:v100": {IndependentLanes: true, CachesGlobal: true, SMs: 80},
		"func":     {IndependentLanes: true, Strict: true},
		"hw":       {IndependentLanes: true, CachesGlobal: true, Silicon: true},
	} {
		require.Equal(t, want, runner(t, name).Machine, name)
	}
}
