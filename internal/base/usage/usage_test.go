package usage

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"bfs", "sssp", "pagerank", "pagerank-pull"}
	for word, want := range map[string]string{
		"bsf": "bfs", "BFS": "bfs", "ssp": "sssp", "pagrank": "pagerank", "quicksort": "", "x": "", "pagerank_pull": "pagerank-pull",
	} {
		assert.Equal(t, want, Nearest(word, names), word)
	}
	assert.Equal(t, 1, distance("ab", "ba"), "a swap is one slip")
	assert.Equal(t, 3, distance("", "abc"))
}

func TestErrors(t *testing.T) {
	err := Unknown("device", "fnuc", []string{"func", "sim:h200"}, "")
	var mistake *Error
	require.ErrorAs(t, err, &mistake)
	assert.EqualError(t, mistake, `unknown device "fnuc"`)
	assert.Equal(t, "did you mean func?\nthere are: func, sim:h200", mistake.Hint.String())
	many := strings.Split("bcdefghijklmnopqr", "")
	require.ErrorAs(t, Unknown("parameter", "xy", many, ""), &mistake)
	assert.Equal(t, "there are: "+strings.Join(many, ", "), mistake.Hint.String(), "no command lists them")
	require.ErrorAs(t, Unknown("parameter", "xy", many, "weft list"), &mistake)
	assert.Equal(t, `"weft list" lists all`, mistake.Hint.String())
	assert.EqualError(t, Once(seed{}, []string{"a", "b", "a"}), "--seed: a is given twice")
	assert.NoError(t, Once(seed{}, []string{"a", "b"}))
	base := errors.New("no weights")
	var hinted *Hinted
	err = fmt.Errorf("graph: %w", WithHint(base, "--weights unit"))
	require.ErrorAs(t, err, &hinted)
	assert.Equal(t, "--weights unit", hinted.Hint.String())
	assert.ErrorIs(t, err, base)
	assert.EqualError(t, err, "graph: no weights")
	assert.Equal(t, "did you mean demo?\n", Meant("Demo", []string{"demo"}))
	assert.Empty(t, Meant("nothing", []string{"demo"}))
}

// seed is a Word.
type seed struct{}

func (seed) In(c Caller) string { return []string{"--seed", "seed", "Options.Seed"}[c] }

func TestMessagesInTheWordsOfTheCaller(t *testing.T) {
	inner := Errorf(Say("leave %s out", seed{}), "%s: %q is no number", seed{}, "x")
	outer := Errorf(Join([]Message{Say("write %s", seed{}), Plain("100% sure")}, "; "), "line 3: %v", inner)
	for c, want := range []struct{ what, hint string }{
		CommandLine:   {`line 3: --seed: "x" is no number`, "write --seed; 100% sure"},
		Specification: {`line 3: seed: "x" is no number`, "write seed; 100% sure"},
		Program:       {`line 3: Options.Seed: "x" is no number`, "write Options.Seed; 100% sure"},
	} {
		assert.Equal(t, want.what, In(outer, Caller(c)))
		assert.Equal(t, want.hint, HintOf(outer).In(Caller(c)))
	}
	assert.EqualError(t, outer, In(outer, CommandLine))
	assert.Equal(t, "gone", In(errors.New("gone"), Program))
	assert.Empty(t, HintOf(errors.New("gone")).String())
	assert.Equal(t, `seed: "x" is no number`, Brief(inner, Specification))
}
