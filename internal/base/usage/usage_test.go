package usage

import (
	"errors"
	"fmt"
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
	assert.Equal(t, &Error{`unknown device "fnuc"`, "did you mean func?\nthere are: func, sim:h200"}, mistake)
	assert.EqualError(t, Once("set", []string{"a", "b", "a"}), "--set: a is given twice")
	assert.NoError(t, Once("set", []string{"a", "b"}))
	base := errors.New("no weights")
	var hinted *Hinted
	err = fmt.Errorf("graph: %w", WithHint(base, "--weights unit"))
	require.ErrorAs(t, err, &hinted)
	assert.Equal(t, "--weights unit", hinted.Hint)
	assert.ErrorIs(t, err, base)
	assert.EqualError(t, err, "graph: no weights")
	assert.Equal(t, "did you mean demo?\n", Meant("Demo", []string{"demo"}))
	assert.Empty(t, Meant("nothing", []string{"demo"}))
}
