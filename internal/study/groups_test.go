package study

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
)

// TestGroups checks that every row of the studies of several GPUs can be run, and that the one of all answers has every
// pair of an algorithm and a scheme for several GPUs.
func TestGroups(t *testing.T) {
	has := map[string]bool{}
	for _, name := range []string{"times.yaml", "answers.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "results", "hw", "h200x2", name))
		require.NoError(t, err)
		s, err := Parse(text)
		require.NoError(t, err)
		require.NoError(t, s.Check())
		for _, r := range s.Runs {
			for _, c := range r.Candidates {
				has[name+" "+r.Algorithm+" "+c.Scheduler] = true
			}
		}
	}
	for _, e := range catalog.Entries() {
		if e.Scheduler.Groups {
			assert.True(t, has["answers.yaml "+e.Algorithm.Name+" "+e.Scheduler.Name], "%s by %s is missing in answers.yaml", e.Algorithm.Name, e.Scheduler.Name)
		}
	}
}
