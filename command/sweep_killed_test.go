//go:build unix

package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// TestSweepKilled kills a sweep by SIGKILL at random moments and starts it again. WEFT_KILLED=1000
// makes it 1,000 points and ten kills.
func TestSweepKilled(t *testing.T) {
	points, kills := 100, 4
	if text := os.Getenv("WEFT_KILLED"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		points, kills = n, 10
	}
	t.Chdir(t.TempDir())
	line := []string{"sweep", "bfs", "--device", "sim:tiny", "--graph", fmt.Sprintf("rmat:scale=6,degree=8,seed={1:%d:1}", points/2), "--scheduler", "warp,thread", "-j", "2", "--out", "r.db"}
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	kept := map[string]string{} // date by point, of the results that were there at a kill
	for k := range kills {
		p := newProcess(t, line...)
		require.NoError(t, p.Start())
		ended := make(chan int, 1)
		go func() { ended <- p.ended(t) }()
		for len(dates(t, "r.db")) < points*(k+1)/(kills+2) {
			select {
			case code := <-ended:
				require.Fail(t, "the sweep ends before it is killed", "code %d: %s%s", code, p.out.String(), p.err.String())
			case <-time.After(2 * time.Millisecond):
			}
		}
		time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond)
		require.NoError(t, p.Process.Kill())
		require.Equal(t, -1, <-ended, "the process ends by the signal: %s", p.err.String())
		now := dates(t, "r.db")
		require.Less(t, len(now), points, "the kill comes in the middle")
		t.Logf("killed with %d results", len(now))
		for point, date := range kept {
			require.Equal(t, date, now[point], "a result that was there stays, and its point does not run again")
		}
		kept = now
	}
	stdout, stderr, code := command(t, line...)
	require.Equal(t, exitRight, code, stderr)
	require.Regexp(t, fmt.Sprintf(`(?m)^there +%d$`, len(kept)), stdout)
	all := dates(t, "r.db")
	require.Len(t, all, points)
	for point, date := range kept {
		require.Equal(t, date, all[point])
	}
	whole(t, "r.db", points)
}

// dates returns when the points of a store ended; none if there is no store yet.
func dates(t *testing.T, file string) map[string]string {
	t.Helper()
	list := map[string]string{}
	if _, err := os.Stat(file); err != nil {
		return list
	}
	st, err := store.Create(t.Context(), file)
	require.NoError(t, err)
	defer st.Close()
	got, err := st.SQL(t.Context(), "SELECT point, date FROM runs")
	require.NoError(t, err)
	for _, row := range got.Rows {
		list[row[0].(string)] = row[1].(string)
	}
	return list
}

// whole checks that a store is sound and has one good result for each of so many points.
func whole(t *testing.T, file string, points int) {
	t.Helper()
	st, err := store.Open(t.Context(), file)
	require.NoError(t, err)
	defer st.Close()
	got, err := st.SQL(t.Context(), "SELECT (SELECT integrity_check FROM pragma_integrity_check), count(*), count(DISTINCT point), sum(status = 'ok'), (SELECT count(DISTINCT run) FROM metrics), (SELECT count(*) FROM attachments WHERE kind = 'result') FROM runs")
	require.NoError(t, err)
	n := int64(points)
	require.Equal(t, []any{"ok", n, n, n, n, n}, got.Rows[0])
}
