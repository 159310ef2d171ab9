package counter

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTable checks that each counter has a name in the form of Nsight Compute, a unit and a meaning, and that the
// counters it refers to exist.
func TestTable(t *testing.T) {
	for _, c := range All() {
		assert.NotEmpty(t, c.Unit, c.Name)
		assert.NotEmpty(t, c.Desc, c.Name)
		assert.Regexp(t, `^(gpu|sm|smsp|l1tex|lts|dram|nvlrx|nvltx|pcie|launch|host)__[a-z0-9_]+(\.(ratio|pct|(sum|max|avg)(\.per_cycle_active|\.pct_of_peak_sustained_(active|elapsed))?))?$`, c.Name)
		if strings.Contains(c.Name, "_cycles_active.") && c.Unit != "%" || strings.HasSuffix(c.Name, "cycles_elapsed.max") {
			assert.Equal(t, "cycle", c.Unit, c.Name)
		}
		assert.False(t, c.Count != nil && c.Value != nil, "%s has two values", c.Name)
		assert.False(t, c.Adds && c.Weight != "", "%s adds up and is a mean", c.Name)
		assert.False(t, c.Largest && (c.Adds || c.Weight != "" || Counts(c.Name)), "%s is a maximum and something else", c.Name)
		assert.False(t, c.Own && c.Recorded, "%s is asked of Nsight Compute, which has none of that name", c.Name)
		assert.False(t, c.Compared && Counts(c.Name), "%s is a count, and compared for that", c.Name)
		assert.True(t, c.Column == "" || Compared(c.Name), "%s has a column and is not compared", c.Name)
		if c.Weight == "" {
			continue
		}
		w, ok := Find(c.Weight)
		require.True(t, ok, "%s is weighted by %s, which there is not", c.Name, c.Weight)
		assert.True(t, !c.Simulated() || w.Simulated(), "%s is weighted by what the simulator does not count", c.Name)
		_, ok = OverLaunches(w.Name)
		assert.True(t, ok && w.Weight == "", "%s is weighted by what does not add up", c.Name)
	}
	_, ok := Find("smsp__nothing.sum")
	assert.False(t, ok)
	assert.PanicsWithValue(t, "counter: there is none called smsp__nothing.sum", func() { Must("smsp__nothing.sum") })
	assert.True(t, Own("lts__atomic_steps.sum"))
	assert.False(t, Own(WarpInstructions))
}

func TestKeys(t *testing.T) {
	for i, c := range Keys() {
		assert.Equal(t, i+1, c.Key, "the places of the key counters, of which %s has %d", c.Name, c.Key)
		assert.True(t, c.Simulated(), c.Name)
	}
	assert.Equal(t, WarpInstructions, Keys()[0].Name)
}

// TestOverLaunches checks how counters are combined over several launches, including those that only old recordings
// contain.
func TestOverLaunches(t *testing.T) {
	for name, want := range map[string]struct {
		weight string
		ok     bool
	}{
		WarpInstructions:                                                   {"", true},
		"sm__cycles_elapsed.max":                                           {"", true},
		"smsp__inst_executed.avg.per_cycle_active":                         {"smsp__cycles_active.avg", true},
		"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio":    {"smsp__issue_active.sum", true},
		"smsp__average_warps_issue_stalled_unheard_per_issue_active.ratio": {"smsp__issue_active.sum", true},
		AtomicQueue:                  {"", true},
		"lts__t_sector_hit_rate.pct": {"", false},
		"unheard__of.sum":            {"", true},
		"unheard__of.avg":            {"", false},
	} {
		weight, ok := OverLaunches(name)
		assert.Equal(t, want.weight, weight, name)
		assert.Equal(t, want.ok, ok, name)
	}
}

// TestSum combines two launches: a count, a maximum, a weighted mean, and what cannot be combined.
func TestSum(t *testing.T) {
	var s Sum
	assert.Zero(t, s.Of(AtomicQueue))
	stall := Stalls[0].Counter()
	s.Add(map[string]float64{AtomicOps: 3, AtomicQueue: 7, stall: 1, IssueActive: 10, "lts__t_sector_hit_rate.pct": 50})
	s.Add(map[string]float64{AtomicOps: 4, AtomicQueue: 5, stall: 4, IssueActive: 20})
	assert.Equal(t, map[string]float64{AtomicOps: 7, AtomicQueue: 7, stall: 3, IssueActive: 30}, s.Values())
}

// TestRawIsWords checks that Raw consists of uint64, because it is read as an array.
func TestRawIsWords(t *testing.T) {
	var check func(typ reflect.Type, name string)
	check = func(typ reflect.Type, name string) {
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				check(typ.Field(i).Type, name+"."+typ.Field(i).Name)
			}
		case reflect.Array:
			check(typ.Elem(), name+"[]")
		default:
			assert.Equal(t, reflect.Uint64, typ.Kind(), name)
		}
	}
	check(reflect.TypeFor[Raw](), "Raw")
	now, before := Raw{Insts: 7, Nanoseconds: 9}, Raw{Insts: 3, Nanoseconds: 4}
	now.Stalled[StallDrain], before.Stalled[StallDrain] = 12, 2
	now.L2.FromSM[Red] = 5
	want := Raw{Insts: 4, Nanoseconds: 5}
	want.Stalled[StallDrain], want.L2.FromSM[Red] = 10, 5
	assert.Equal(t, want, now.Minus(&before))
	assert.EqualValues(t, 7, now.Insts, "which stays as it is")
}

// TestValues checks that every counter of the simulator is computed from what it counts: it is 0 if nothing was
// counted, and every field of Raw affects a counter.
func TestValues(t *testing.T) {
	nothing := Counted{SMs: 2, SubCores: 4, Warps: 64, Slices: 2, DRAMPeak: 10}
	for _, c := range All() {
		if c.Simulated() {
			assert.Zero(t, c.Of(&nothing), c.Name)
		}
	}
	unused := map[string]bool{"Cycles": true} // reported directly
	words := reflect.TypeFor[Raw]()
	for i := range words.NumField() {
		some := Counted{SMs: 2, SubCores: 4, Warps: 64, Slices: 2, DRAMPeak: 10}
		some.Elapsed = 1e6
		some.Insts, some.SMActive, some.SubActive, some.RowHits, some.RowMisses = 1000, 1000, 1000, 1000, 500 // denominators of ratios
		base := some
		fill(reflect.ValueOf(&some.Raw).Elem().Field(i))
		changed := false
		for _, c := range All() {
			changed = changed || c.Simulated() && c.Of(&some) != c.Of(&base)
		}
		assert.Equal(t, !unused[words.Field(i).Name], changed, "Raw.%s is in no counter", words.Field(i).Name)
	}
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Uint64:
		v.SetUint(v.Uint() + 512)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

func TestStalls(t *testing.T) {
	seen := map[string]bool{}
	for i := range Stalls {
		s := &Stalls[i]
		assert.NotEmpty(t, s.Desc, "stall %d", i)
		assert.False(t, seen[s.Name], "%s is there twice", s.Name)
		seen[s.Name] = true
		reason, ok := StallOf(s.Counter())
		assert.True(t, ok)
		assert.Equal(t, s.Name, reason)
		c, ok := Find(s.Counter())
		require.True(t, ok)
		assert.Equal(t, Stall(i) < NumStalls, c.Simulated(), s.Name)
	}
	assert.Equal(t, "selected", StallSelected.String())
	assert.Len(t, StallNames(), int(NumStalls))
	for _, name := range []string{WarpInstructions, "smsp__average_warps_issue_stalled_wait_per_warp_active.pct"} {
		_, ok := StallOf(name)
		assert.False(t, ok, name)
	}
}
