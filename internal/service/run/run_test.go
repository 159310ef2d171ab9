package run

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// request is BFS by thread on a small graph.
func request(t *testing.T, device string) Request {
	t.Helper()
	g, notes, err := graph.Open(t.Context(), "grid:width=4", graph.LoadOptions{})
	require.NoError(t, err)
	spec, err := devices.New(device, devices.Options{Seed: 1})
	require.NoError(t, err)
	from, err := ParseSource("0")
	require.NoError(t, err)
	return Request{Algorithm: "bfs", Scheduler: "thread", Graph: g, Notes: notes, Source: from, Device: spec}
}

func TestRun(t *testing.T) {
	for _, device := range []string{"func", "sim:tiny"} {
		r, err := Run(t.Context(), request(t, device))
		require.NoError(t, err)
		require.NoError(t, r.Err())
		assert.Equal(t, AnswerVerified, r.Answer)
		assert.Equal(t, device, r.Device)
		assert.Equal(t, "bfs", r.Algorithm)
		assert.Positive(t, r.Launches)
		assert.Positive(t, r.WarpInstructions)
		assert.Equal(t, device == "sim:tiny", r.Cycles > 0)
		assert.Len(t, r.Values, 16)
		require.NotNil(t, r.Source)
		assert.Zero(t, *r.Source)
	}
	q := request(t, "func")
	q.NoVerify = true
	r, err := Run(t.Context(), q)
	require.NoError(t, err)
	assert.Equal(t, AnswerUnchecked, r.Answer)
}

// TestRefused checks that an invalid request is rejected before anything runs,
// and that a context that ended is not a usage error.
func TestRefused(t *testing.T) {
	q := request(t, "func")
	q.Algorithm = "bsf"
	r, err := Run(t.Context(), q)
	assert.Nil(t, r)
	var mistake *usage.Error
	require.ErrorAs(t, err, &mistake)
	assert.EqualError(t, mistake, `unknown algorithm "bsf"`)
	assert.Contains(t, mistake.Hint.String(), "did you mean bfs?")

	q = request(t, "func")
	q.Source = Source{text: "99", id: 99}
	_, err = Run(t.Context(), q)
	assert.EqualError(t, err, "--source: graph "+q.Graph.Name+" has no vertex 99; its ids go from 0 to 15")

	assert.Equal(t, context.Canceled, Refused(context.Canceled))
	var hinted *usage.Hinted
	require.ErrorAs(t, Refused(fmt.Errorf("x: %w", graph.ErrWeights)), &hinted)
}

// TestWrongAnswer checks what happens to an answer that the reference refutes,
// since none of our algorithms gives a wrong one.
func TestWrongAnswer(t *testing.T) {
	r := &Result{}
	r.fill(&catalog.Result{Reference: true, Checked: true, Mismatch: errors.New("vertex 7: level 3, want 2")}, nil)
	require.NotNil(t, r.Verified)
	assert.False(t, *r.Verified)
	assert.Equal(t, AnswerWrong, r.Answer)
	assert.EqualError(t, r.Err(), "wrong answer: vertex 7: level 3, want 2")
	assert.ErrorIs(t, r.Err(), ErrWrong)
}
