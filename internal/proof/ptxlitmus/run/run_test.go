package run

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

func machine(t testing.TB, preset string, set ...string) device.Device {
	cfg, err := config.Load(preset)
	require.NoError(t, err)
	for i := 0; i < len(set); i += 2 {
		require.NoError(t, cfg.Set(set[i], set[i+1]))
	}
	d, err := sim.New(cfg, sim.Options{Seed: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// verdicts returns the published verdicts: whether the condition of a test holds.
func verdicts(t testing.TB) map[string]bool {
	v := map[string]bool{}
	for _, folder := range []string{"tests", "more"} {
		all, err := ptxlitmus.ReadVerdicts(t.Context(), "../testdata/"+folder+"/verdicts.csv")
		require.NoError(t, err)
		maps.Copy(v, all)
	}
	return v
}

// keeps checks a result against the published verdict: what holds in all executions has not been violated, and what
// no execution shows has not been seen.
func keeps(t *testing.T, r *Result, holds bool) {
	if holds != (r.Test.Quant == ptxlitmus.Exists) {
		assert.False(t, r.Seen(), "%s: PTX forbids what was seen: %v", r.Test.Name, r.Report("").Observed)
	}
}

// runAll runs tests and checks that none shows what PTX forbids, by the published verdicts and by the model.
func runAll(t *testing.T, d device.Device, all []*ptxlitmus.Test, instances int) map[string]*Result {
	v, results, lacking := verdicts(t), map[string]*Result{}, 0
	for _, x := range all {
		r, err := (&Runner{Device: d, Instances: instances, Seeds: 16, Seed: 1}).Run(t.Context(), x)
		var u *Unsupported
		if errors.As(err, &u) {
			assert.Contains(t, twoGPUs, x.Name)
			lacking++
			continue
		}
		require.NoError(t, err, x.Name)
		require.GreaterOrEqual(t, r.Instances, instances)
		total := 0
		for _, o := range r.Outcomes {
			total += o.Count
		}
		require.Equal(t, r.Instances, total, x.Name)
		if holds, ok := v[x.Name]; ok {
			keeps(t, r, holds)
		}
		allowed, why := r.Allowed(t.Context())
		require.Empty(t, why, x.Name)
		assert.Zero(t, r.Judge(allowed), "%s: PTX forbids %v", x.Name, r.Report("").Forbidden)
		results[x.Name] = r
	}
	require.Len(t, results, len(all)-lacking)
	return results
}

// seen lists the tests of which d shows what the condition is about.
func seen(results map[string]*Result) map[string]bool {
	list := map[string]bool{}
	for name, r := range results {
		if r.Seen() {
			list[name] = true
		}
	}
	return list
}

// hanging are the tests in which some instances hang: threads come to different barriers, or more or fewer threads to
// a barrier than it is for.
var hanging = []string{
	"SB+bar-const-diff", "SB+named-bar-dyn-reg-const", "SB+named-bar-reg-const-diff", "SB+named-bar-reg-diff",
	"SB+named-bar-sta-reg-const", "barrier-instance-id-forall", "barrier-logical-id-forall", "quorum3-pass", "quorum4-fail",

	"PC-bar-sync-sync-3", "PC-bar-sync-sync-4", "SB+twice-bars-diff", "barrier-instance-id-exists", "barrier-logical-id-exists", "quorum1-hang", "quorum1-pass",
	"quorum2-hang", "quorum2-pass", "quorum3-fail", "quorum4-pass",
}

// TestOnFunc runs all tests on the functional device, which is sequentially consistent, and checks that exactly those
// hang that should.
func TestOnFunc(t *testing.T) {
	results := runAll(t, function.New(function.Options{}), published(t), 4096)
	for name, r := range results {
		if !strings.HasSuffix(name, "a-reg-const") && !strings.HasSuffix(name, "n-reg-const") { // it depends on what P0 reads
			assert.Equal(t, slices.Contains(hanging, name), r.Hangs > 0, "%s: %v", name, r.Report("").Observed)
		}
		assert.Equal(t, r.Hangs > 0, r.Hang != nil, name)
	}
	shows := seen(results)
	for _, weak := range []string{"SB-weak", "MP-cta", "SB+bar-diff-cta", "LB-dlb-no-fence-2", "Co-Total-3-threads-scope-same"} {
		assert.False(t, shows[weak], weak)
	}
	assert.True(t, shows["RWC1"])
}

// TestOnTiny runs tests of each kind: weak accesses, a lock, barriers in all instances of a warp and in each alone.
func TestOnTiny(t *testing.T) {
	d := machine(t, "tiny")
	for name, want := range map[string]bool{
		"SB-weak": true, "MP-cta": true, "SB+sc-cta": false, "Ticketlock-same-gpu": false, "Atom-SB": false, "PC-bar-sync-sync-1": false,
		"SB+named-bar-sta-reg-const": false, "XF-Barrier-relacq": false, "quorum3-pass": true, "quorum4-fail": false,
	} {
		r, err := (&Runner{Device: d, Instances: 3000, Seeds: 40, Seed: 1}).Run(t.Context(), named(t, name))
		require.NoError(t, err)
		assert.Equal(t, want, r.Seen(), "%s: %v", name, r.Report("").Observed)
	}
}

// TestStack runs tests with loops on a machine before Volta, where lanes that wait for other warps hold back those of
// their own: each instance then has warps of its own.
func TestStack(t *testing.T) {
	d := machine(t, "tiny", "sm.divergence", "stack")
	for _, name := range []string{"Ticketlock-same-gpu", "XF-Barrier-relacq"} {
		r, err := (&Runner{Device: d, Instances: 500, Seeds: 10, Seed: 1}).Run(t.Context(), named(t, name))
		require.NoError(t, err)
		assert.Zero(t, r.Hangs, name)
		assert.False(t, r.Seen(), name)
	}
}

// undeciding is a device that cannot decide whether a kernel hangs.
type undeciding struct {
	device.Device
	t *testing.T
}

// Launch fails the test if the kernel hangs.
func (u undeciding) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	r, err := u.Device.Launch(ctx, l)
	require.NoError(u.t, err, "nothing released the barriers")
	return r, err
}

// TestRelease checks that barriers at which threads wait too long are released, so that the launch ends, with the same
// outcomes as on a device that decides that they hang.
func TestRelease(t *testing.T) {
	d := machine(t, "tiny")
	for _, name := range append([]string{"SB+sc-cta", "PC-bar-sync-sync-1", "quorum1-fail"}, hanging...) {
		x := named(t, name)
		decided, err := (&Runner{Device: d, Instances: 1000, Seeds: 10, Seed: 1}).Run(t.Context(), x)
		require.NoError(t, err)
		released, err := (&Runner{Device: undeciding{d, t}, Instances: 1000, Seeds: 10, Seed: 1, Patience: 100_000}).Run(t.Context(), x)
		require.NoError(t, err)
		assert.Equal(t, decided.Hangs > 0, released.Hangs > 0, name)
		assert.Nil(t, released.Hang)
		if decided.Hangs == decided.Instances {
			assert.Equal(t, released.Instances, released.Hangs, name)
		}
		for o := range released.Report("").Observed {
			assert.Contains(t, decided.Report("").Observed, o, name)
		}
	}
}

// TestReleaseIsTakenBack checks that threads which end by themselves do not count as released, even if the release of
// their barriers was about to begin.
func TestReleaseIsTakenBack(t *testing.T) {
	d := undeciding{machine(t, "tiny"), t}
	for _, name := range []string{"PC-bar-sync-sync-1", "XF-Barrier-relacq"} {
		r, err := (&Runner{Device: d, Instances: 500, Seeds: 8, Seed: 1, Patience: 1}).Run(t.Context(), named(t, name))
		require.NoError(t, err)
		assert.Zero(t, r.Hangs, "%s: %v", name, r.Report("").Observed)
	}
}

// killing is a device whose launches are killed, and their memory is lost.
type killing struct{ device.Device }

func (k killing) Launch(context.Context, device.Launch) (*device.Report, error) {
	return nil, &device.HangError{Kernel: "k", What: "killed"}
}

func (k killing) Read(device.Buffer, any) error { return errors.New("no such buffer") }

func TestKilled(t *testing.T) {
	r, err := (&Runner{Device: killing{function.New(function.Options{})}, Instances: 100, Seeds: 10}).Run(t.Context(), named(t, "SB-weak"))
	require.EqualError(t, err, "3 launches had to be killed: kernel k hangs: killed: its results are lost")
	assert.Zero(t, r.Instances)
	r, err = (&Runner{Device: killing{function.New(function.Options{})}, Instances: 100, Seeds: 10}).Run(t.Context(), named(t, "Ticketlock-same-gpu"))
	require.Error(t, err)
	assert.Zero(t, r.Instances)
}

// TestCanceled checks that an interrupted run returns what there is.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	r := Runner{Device: function.New(function.Options{}), Instances: 1000, Seeds: 10, Seed: 1, Progress: func(done, of int) {
		assert.Equal(t, 1000, of)
		if calls++; calls == 3 {
			cancel()
		}
	}}
	res, err := r.Run(ctx, named(t, "SB-weak"))
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 3, res.Launches)
	assert.Equal(t, 3*128, res.Instances)
}

// TestRepeatable checks that the same seed shows the same, and another seed something else.
func TestRepeatable(t *testing.T) {
	of := func(seed uint64) map[string]int {
		r, err := (&Runner{Device: machine(t, "tiny"), Instances: 2000, Seeds: 8, Seed: seed}).Run(t.Context(), named(t, "MP-cta"))
		require.NoError(t, err)
		return r.Report("").Observed
	}
	assert.Equal(t, of(1), of(1))
	assert.NotEqual(t, of(1), of(100))
}

func TestJudge(t *testing.T) {
	x := named(t, "SB-weak")
	r, err := (&Runner{Device: function.New(function.Options{}), Instances: 1000, Seeds: 20, Seed: 1}).Run(t.Context(), x)
	require.NoError(t, err)
	require.Len(t, r.Outcomes, 2)
	assert.Zero(t, r.Judge([][]int32{{0, 1}, {1, 0}}))
	assert.Equal(t, r.Outcomes[1].Count, r.Judge([][]int32{{0, 1}, {1, 1}}))
	rep := r.Report("func")
	assert.Equal(t, []string{"P0:r1=1 P1:r2=0"}, rep.Forbidden)
	var text bytes.Buffer
	rep.Text(&text)
	assert.Contains(t, text.String(), "P0:r1=1 P1:r2=0  forbidden\n")
	assert.Contains(t, text.String(), "exists (P0:r1 != 1 /\\ P1:r2 != 1)\nnever: no instance satisfies the condition; PTX forbids P0:r1=1 P1:r2=0\n")
}

// TestUnsupported checks the reasons why tests cannot be run.
func TestUnsupported(t *testing.T) {
	with := func(code string) string {
		return "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n " + code + " | bar.cta.sync 1 ;\nexists (x == 1)"
	}
	for src, want := range map[string]string{
		"PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 1 ;\n st.weak x, 1 | ld.weak r0, x ;\nexists (x == 1)": "it needs two GPUs: P0 is on GPU 0 and P1 on GPU 1",
		with("fence.proxy.alias"):             "line 4: fence.proxy.alias: kernels here reach memory in one way (the generic proxy)",
		with("atom.relaxed.gpu.inc r0, x, 4"): "line 4: atom.relaxed.gpu.inc r0, x, 4: inc is no atomic of the kernel language",
		with("bar.cta.sync 1, 1, 40"):         "line 4: a barrier of 40 threads",
		with("bar.cta.sync 1, 30"):            "its barriers need 31 numbers; a block has barriers 1 to 15 here",
		with("bar.cta.sync 1, 0, 1"):          "line 4: a barrier of 2 threads, which another line may use for 1: PTX leaves that undefined",
	} {
		_, err := (&Runner{Device: function.New(function.Options{}), Instances: 1}).Run(t.Context(), parse(t, "t.litmus", src))
		var u *Unsupported
		require.ErrorAs(t, err, &u, src)
		assert.Equal(t, want, u.Why)
	}
}

// TestTooSmall runs a test that needs more blocks than a machine has.
func TestTooSmall(t *testing.T) {
	d := machine(t, "tiny", "sm.count", "1", "sm.blocks", "1")
	_, err := (&Runner{Device: d, Instances: 1}).Run(t.Context(), named(t, "SB-weak"))
	require.EqualError(t, err, "sim:tiny holds 1 blocks of 32 threads at once; the test needs 2")
}
