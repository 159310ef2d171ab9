//go:build !kernel

package scheduler_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/scheduler"
)

// toy returns a scheme that does nothing.
func toy(params ...scheduler.Param) scheduler.Scheme {
	return scheduler.Scheme{Name: "toy", Doc: "nothing", Params: params,
		Kernels: func(scheduler.Type) []scheduler.EntryPoint { return nil },
		Run:     func(context.Context, scheduler.Job) (*scheduler.Outcome, error) { return nil, nil }}
}

func params() []scheduler.Param {
	return []scheduler.Param{
		scheduler.BlockParam(), scheduler.MaxIterationsParam(),
		{Name: "share", Type: scheduler.FloatParam, Default: "0.3", Max: 1, Doc: "of the edges"},
		{Name: "fused", Type: scheduler.BoolParam, Default: "false", Doc: "one kernel"},
		{Name: "filter", Type: scheduler.WordParam, Words: []string{"online", "ballot"}, Default: "online", Doc: "which"},
	}
}

func TestValues(t *testing.T) {
	s := toy(params()...)
	require.NoError(t, s.Validate())
	v, err := s.Values(nil)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"block": "128", "max-iterations": "0", "share": "0.3", "fused": "false", "filter": "online"}, v.Texts())
	v, err = s.Values(map[string]string{"block": "1024", "max-iterations": "7", "share": "1", "fused": "true", "filter": "ballot"})
	require.NoError(t, err)
	require.Equal(t, 1024, v.Int("block"))
	require.Equal(t, 7, v.Int("max-iterations"))
	require.InDelta(t, 1, v.Float("share"), 0)
	require.True(t, v.Bool("fused"))
	require.Equal(t, "ballot", v.Word("filter"))
	require.PanicsWithValue(t, "scheduler: the scheme has no parameter blocks of type int", func() { v.Int("blocks") })
	require.PanicsWithValue(t, "scheduler: the scheme has no parameter block of type string", func() { v.Word("block") })
}

func TestValuesRefuse(t *testing.T) {
	for _, c := range [][3]string{
		{"block", "48", "parameter block of scheduler toy: 48 is not a multiple of 32 from 32 to 1024"},
		{"block", "0", "parameter block of scheduler toy: 0 is not a multiple of 32 from 32 to 1024"},
		{"block", "1056", "parameter block of scheduler toy: 1056 is not a multiple of 32 from 32 to 1024"},
		{"block", "64.0", "parameter block of scheduler toy: 64.0 is not a multiple of 32 from 32 to 1024"},
		{"block", "big", `parameter block of scheduler toy: "big" is not a multiple of 32 from 32 to 1024`},
		{"max-iterations", "-1", "parameter max-iterations of scheduler toy: -1 is not a whole number of at least 0"},
		{"share", "1.5", "parameter share of scheduler toy: 1.5 is not a number from 0 to 1"},
		{"share", "NaN", "parameter share of scheduler toy: NaN is not a number from 0 to 1"},
		{"fused", "maybe", `parameter fused of scheduler toy: "maybe" is not true or false`},
		{"filter", "Online", `parameter filter of scheduler toy: "Online" is not one of online, ballot`},
		{"blocks", "64", `scheduler toy has no parameter "blocks"; there are: block, filter, fused, max-iterations, share`},
	} {
		_, err := toy(params()...).Values(map[string]string{c[0]: c[1]})
		require.EqualError(t, err, c[2])
	}
}

// TestValidate checks what the rest of the program relies on.
func TestValidate(t *testing.T) {
	one := scheduler.Param{Name: "one", Type: scheduler.IntParam, Default: "1", Max: 9, Doc: "a number"}
	for want, change := range map[string]func(s *scheduler.Scheme){
		`scheduler "Toy": a name consists of lower-case letters, digits and hyphens`:                                func(s *scheduler.Scheme) { s.Name = "Toy" },
		`scheduler "": a name consists of lower-case letters, digits and hyphens`:                                   func(s *scheduler.Scheme) { s.Name = "" },
		`scheduler "toy": it has no Doc`:                                                                            func(s *scheduler.Scheme) { s.Doc = "" },
		`scheduler "toy": it needs Run and Kernels`:                                                                 func(s *scheduler.Scheme) { s.Run = nil },
		`scheduler "toy": parameter "one" needs a unique name of lower-case letters, digits and hyphens, and a Doc`: func(s *scheduler.Scheme) { s.Params = append(s.Params, one) },
		`scheduler "toy": the default of parameter one: 10 is not a whole number from 0 to 9`:                       func(s *scheduler.Scheme) { s.Params[0].Default = "10" },
		`scheduler "toy": the default of parameter one: write 1 for 01`:                                             func(s *scheduler.Scheme) { s.Params[0].Default = "01" },
		`scheduler "toy": quantity "cycles" needs a unit, a Doc and a unique name other than iteration, kernel, setup, cycles, seconds`: func(s *scheduler.Scheme) {
			s.Quantities = []scheduler.Quantity{{Name: "cycles", Unit: "cycle", Doc: "time"}}
		},
	} {
		s := toy(one)
		require.NoError(t, s.Validate())
		change(&s)
		require.EqualError(t, s.Validate(), want)
	}
}

// TestStepJSON checks that a step survives JSON, with its numbers beside the other keys.
func TestStepJSON(t *testing.T) {
	for text, s := range map[string]scheduler.Step{
		`{"iteration":2,"kernel":"k","frontier":10,"next":0,"cycles":7,"seconds":0.5}`: {Kernel: "k", Iteration: 2, Cycles: 7, Seconds: 0.5,
			Numbers: []scheduler.Number{{Name: "frontier", Value: 10}, {Name: "next"}}},
		`{"kernel":"k","setup":true,"cycles":0,"seconds":0}`:                 {Kernel: "k", Setup: true},
		`{"kernel":"k","share":0.25,"tasks":1000000,"cycles":0,"seconds":0}`: {Kernel: "k", Numbers: []scheduler.Number{{Name: "share", Value: 0.25}, {Name: "tasks", Value: 1e6}}},
	} {
		got, err := json.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		var back scheduler.Step
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, s, back)
	}
	var s scheduler.Step
	require.Error(t, json.Unmarshal([]byte(`{"kernel":"k","tasks":"many"}`), &s))
}

// TestDirections checks that an algorithm's methods decide whether it can be pushed and
// pulled.
func TestDirections(t *testing.T) {
	for _, c := range []struct {
		from         map[string]string
		pushes, pull string
	}{
		{map[string]string{"Apply": "scheduler.Min", "Take": "scheduler.common"}, "", ""},
		{map[string]string{"Apply": "scheduler.Add", "Take": "scheduler.common", "Active": "a.A"}, "",
			"a.A cannot be pulled: its updates add up, and a pull scheme would add them again in each iteration; define Apply(v scheduler.Vertex, old, gathered int32) (value int32, changed bool) to compute the next value"},
		{map[string]string{"Apply": "scheduler.Min", "Take": "a.A"}, "",
			"a.A cannot be pulled: it sends the result of Take, but a pull scheme reads the values of vertices; define Apply(v scheduler.Vertex, old, gathered int32) (value int32, changed bool) to compute the next value"},
		{map[string]string{"Apply": "a.A", "Take": "scheduler.common"},
			"a.A cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active", ""},
		{map[string]string{"Apply": "a.A", "Active": "b.Embedded"}, "", ""},
	} {
		a := scheduler.Type{Name: "a.A", Value: reflect.TypeFor[int32](), From: c.from}
		for want, err := range map[string]error{"push" + c.pushes: a.Pushes(), "pull" + c.pull: a.Pulls()} {
			if want == "push" || want == "pull" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, want[4:])
			}
		}
	}
}
