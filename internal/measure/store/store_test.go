package store_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// sample returns a run; i makes its point and numbers differ from others.
func sample(i int) *store.Run {
	return &store.Run{
		Point: fmt.Sprintf("%064x", i), Status: store.OK, Algorithm: "bfs", Scheduler: []string{"warp", "thread"}[i%2], Kernel: "bsp.Push",
		Graph: "demo", Vertices: 7115, Arcs: 103689, Device: "sim:tiny", Machine: "m1", Seed: math.MaxUint64, Version: "abc",
		Date: time.Date(2026, 1, 2, 3, 4, 5, i, time.UTC), Command: "weft run bfs", Wall: 0.5,
		Settings:    map[string]string{"l2.latency": fmt.Sprint(50 * i), "scheduler": []string{"warp", "thread"}[i%2]},
		Metrics:     []store.Metric{{Name: "cycles", Unit: "cycle", Meaning: "duration", Value: float64(1000 + i)}, {Name: "odd", Unit: "%", Value: math.NaN()}},
		Attachments: map[string][]byte{"result": []byte(`{"algorithm": "bfs"}`)},
	}
}

func create(t *testing.T, file string) *store.Store {
	s, err := store.Create(t.Context(), file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestRoundTrip(t *testing.T) {
	file := filepath.Join(t.TempDir(), "with space & a?#%.db")
	s := create(t, file)
	n, err := s.Add(t.Context(), sample(1), sample(2), sample(1))
	require.NoError(t, err)
	require.Equal(t, 2, n, "a run that is there is ignored")
	n, err = s.Add(t.Context(), sample(2))
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = os.Stat(file)
	require.NoError(t, err, "the file has the name that was given")

	again, err := store.Open(t.Context(), file)
	require.NoError(t, err)
	defer again.Close()
	var got []*store.Run
	require.NoError(t, again.Runs(t.Context(), nil, func(id int64, r *store.Run) error {
		data, err := again.Attachment(t.Context(), id, "result")
		r.Attachments = map[string][]byte{"result": data}
		got = append(got, r)
		return err
	}))
	want := []*store.Run{sample(1), sample(2)}
	for _, r := range want {
		r.Metrics = r.Metrics[:1] // without the NaN
		r.Spellings = []map[string]string{r.Settings}
	}
	require.Equal(t, want, got)
	none, err := again.Attachment(t.Context(), 1, "hang")
	require.NoError(t, err)
	require.Nil(t, none)
	keys, err := again.Keys(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[store.Key]store.Status{{Point: want[0].Point}: store.OK, {Point: want[1].Point}: store.OK}, keys)
	_, err = again.Run(t.Context(), 77)
	require.EqualError(t, err, "there is no run 77 in "+file)
}

func TestAllOrNone(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "r.db"))
	require.NoError(t, store.Refuse(t.Context(), s, "bad"))
	bad := sample(2)
	bad.Algorithm = "bad"
	bad.Metrics = append(bad.Metrics, store.Metric{Name: "new"})
	n, err := s.Add(t.Context(), sample(1), bad)
	require.ErrorContains(t, err, "adding a run of bad by warp to "+s.File()+": ")
	require.Zero(t, n)
	keys, err := s.Keys(t.Context())
	require.NoError(t, err)
	require.Empty(t, keys)
	n, err = s.Add(t.Context(), sample(1), sample(2))
	require.NoError(t, err, "names that were not added are added later")
	require.Equal(t, 2, n)
	_, err = s.SQL(t.Context(), "DELETE FROM runs")
	require.EqualError(t, err, `a query begins with SELECT, WITH, VALUES or EXPLAIN, and this one with "DELETE"`)
}

func TestReplace(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "r.db"))
	failed := sample(1)
	failed.Status, failed.Error = store.Failed, "no memory"
	require.NoError(t, s.Replace(t.Context(), failed), "there is nothing to replace")
	require.NoError(t, s.Replace(t.Context(), sample(1)))
	got, err := s.SQL(t.Context(), "SELECT status, error, (SELECT count(*) FROM metrics), (SELECT count(*) FROM settings), (SELECT count(*) FROM attachments) FROM runs")
	require.NoError(t, err)
	require.Equal(t, [][]any{{"ok", "", int64(1), int64(2), int64(1)}}, got.Rows)
}

func TestMerge(t *testing.T) {
	a, b := create(t, filepath.Join(t.TempDir(), "a.db")), create(t, filepath.Join(t.TempDir(), "b.db"))
	_, err := a.Add(t.Context(), sample(1), sample(2))
	require.NoError(t, err)
	_, err = b.Add(t.Context(), sample(2), sample(3))
	require.NoError(t, err)
	hash, err := b.AddSpec(t.Context(), "study", "name: study")
	require.NoError(t, err)
	require.NoError(t, b.AddMachine(t.Context(), "m", []byte("{}")))
	for _, want := range []int{1, 0} {
		n, err := a.Merge(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	text, err := a.Spec(t.Context(), hash)
	require.NoError(t, err)
	require.Equal(t, "name: study", string(text))
	data, err := a.Attachment(t.Context(), 3, "result")
	require.NoError(t, err)
	require.Equal(t, string(sample(3).Attachments["result"]), string(data))
}

func TestQuery(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "r.db"))
	for i := range 6 {
		_, err := s.Add(t.Context(), sample(i))
		require.NoError(t, err)
	}
	rows := func(q store.Query) [][]any {
		got, err := s.Query(t.Context(), q)
		require.NoError(t, err)
		return got.Rows
	}
	got, err := s.Query(t.Context(), store.Query{})
	require.NoError(t, err)
	require.Equal(t, []table.Column{
		{Name: "status", Meaning: "ok, wrong, hang, undecided or failed"}, {Name: "algorithm", Meaning: "what ran"},
		{Name: "scheduler", Meaning: "the scheme that distributed the work"}, {Name: "l2.latency", Meaning: "setting"}, {Name: "cycles", Unit: "cycle", Meaning: "duration"},
	}, got.Columns, "what differs, and the usual metrics")
	require.Len(t, got.Rows, 6)
	require.Equal(t, [][]any{{"100", 1002.0}}, rows(store.Query{Where: []string{"l2.latency = 100"}, Columns: []string{"l2.latency", "cycles"}}))
	require.Equal(t, [][]any{{"250"}, {"150"}}, rows(store.Query{Where: []string{"l2.latency>60", "scheduler=thread"}, Columns: []string{"l2.latency"}, Order: []string{"-l2.latency"}}))
	require.Equal(t, [][]any{{1005.0}}, rows(store.Query{Where: []string{"cycles>=1003"}, Columns: []string{"cycles"}, Order: []string{"-cycles"}, Limit: 1}))
	require.Len(t, rows(store.Query{Where: []string{"kernel~Push"}}), 6)
	require.Len(t, rows(store.Query{Where: []string{"kernel~*push"}}), 0)
	require.Len(t, rows(store.Query{Where: []string{"scheduler!=warp", "kernel~b*"}}), 3)

	_, err = s.Query(t.Context(), store.Query{Where: []string{"l2.latncy=1"}})
	require.EqualError(t, err, `there is no column, setting or metric "l2.latncy"`)
	_, err = s.Query(t.Context(), store.Query{Where: []string{"=1"}})
	require.EqualError(t, err, `condition "=1" is not NAME=VALUE; the operators are = != < <= > >= ~`)
	for text, want := range map[string]string{
		"a=1 and l2.latency >= 2":  `condition "a=1 and l2.latency >= 2" is two conditions; give them one by one`,
		"a = 1 or b~x":             `condition "a = 1 or b~x" has alternatives, which SQL and where: of a specification know, but not this`,
		"graph=salt and pepper.el": "",
	} {
		if _, _, _, err := store.ParseCondition(text); want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
	all, err := s.SQL(t.Context(), "SELECT scheduler, count(*), avg(value) AS mean FROM measured WHERE metric = 'cycles' GROUP BY scheduler ORDER BY 1")
	require.NoError(t, err)
	require.Equal(t, &table.Table{Columns: []table.Column{{Name: "scheduler"}, {Name: "count(*)"}, {Name: "mean"}},
		Rows: [][]any{{"thread", int64(3), 1003.0}, {"warp", int64(3), 1002.0}}}, all)
}

// TestTexts: what a run found that is no number is kept, merged, replaced and selected as metrics are.
func TestTexts(t *testing.T) {
	a, b := create(t, filepath.Join(t.TempDir(), "a.db")), create(t, filepath.Join(t.TempDir(), "b.db"))
	found := func(i int, text string) *store.Run {
		r := sample(i)
		r.Metrics = append(r.Metrics[:1], store.Metric{Name: "word", Meaning: "the most contended one", Text: text})
		return r
	}
	failed := found(2, "old")
	failed.Status, failed.Date = store.Failed, failed.Date.Add(-time.Hour)
	_, err := a.Add(t.Context(), found(1, "queue[0]"), failed, sample(4))
	require.NoError(t, err)
	_, err = b.Add(t.Context(), found(2, "dist[7]"), found(3, "it's[1]"))
	require.NoError(t, err)
	n, err := a.Merge(t.Context(), b)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, [][]any{{"queue[0]", 1001.0}, {"dist[7]", 1002.0}, {"it's[1]", 1003.0}}, rowsOf(t, a, []string{"word!="}, "word", "cycles"))
	require.Equal(t, [][]any{{1003.0}}, rowsOf(t, a, []string{"word=it's[1]"}, "cycles"))
	r, err := a.Run(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, found(1, "queue[0]").Metrics, r.Metrics)
	_, number := r.Metric("word")
	require.False(t, number)
	got, err := a.Query(t.Context(), store.Query{Columns: []string{"word"}, Limit: 1, Order: []string{"-word"}})
	require.NoError(t, err)
	require.Equal(t, []table.Column{{Name: "word", Meaning: "the most contended one"}}, got.Columns)
	require.Equal(t, [][]any{{"queue[0]"}}, got.Rows)
}

// TestManySettings asks for more settings and metrics than SQLite has joins.
func TestManySettings(t *testing.T) {
	s, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "many.db"))
	require.NoError(t, err)
	defer s.Close()
	r := sample(0)
	r.Settings, r.Spellings = map[string]string{}, nil
	var names []string
	var want []any
	for i := range 100 {
		name := fmt.Sprintf("arg.it's%d", i)
		r.Settings[name] = fmt.Sprint(i)
		r.Metrics = append(r.Metrics, store.Metric{Name: fmt.Sprintf("m'%d", i), Value: float64(i)})
		names, want = append(names, name, fmt.Sprintf("m'%d", i)), append(want, fmt.Sprint(i), float64(i))
	}
	_, err = s.Add(t.Context(), r)
	require.NoError(t, err)
	got, err := s.Query(t.Context(), store.Query{Columns: names, Where: []string{"arg.it's99=99", "m'99=99"}})
	require.NoError(t, err)
	require.Equal(t, [][]any{want}, got.Rows)
	_, err = s.Query(t.Context(), store.Query{})
	require.NoError(t, err, "what differs")
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	require.NoError(t, os.WriteFile(text, []byte("this is not a database, although it is long enough to have the head of one"), 0o644))
	_, err := store.Open(t.Context(), text)
	require.EqualError(t, err, "results in "+text+": it is not a file of results; weft sweep writes them")
	_, err = store.Open(t.Context(), filepath.Join(dir, "none.db"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = store.Open(t.Context(), dir)
	require.EqualError(t, err, dir+" is not a regular file")

	_, err = store.Create(t.Context(), dir)
	require.EqualError(t, err, "results in "+dir+": it is a folder; name a file in it")
	_, err = store.Create(t.Context(), filepath.Join(dir, "none", "a.db"))
	require.EqualError(t, err, "results in "+filepath.Join(dir, "none", "a.db")+": there is no folder "+filepath.Join(dir, "none"))

	newer := filepath.Join(dir, "newer.db")
	s, err := store.Create(t.Context(), newer)
	require.NoError(t, err)
	require.NoError(t, store.SetVersion(t.Context(), s, 99))
	require.NoError(t, s.Close())
	_, err = store.Open(t.Context(), newer)
	require.EqualError(t, err, "results in "+newer+": they have schema version 99; this program knows versions up to 5: use a newer weft")
}

// TestWriters lets goroutines with stores of their own add the same runs.
func TestWriters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.db")
	create(t, file)
	const writers, runs = 8, 20
	var wg sync.WaitGroup
	added := make([]int, writers)
	for w := range writers {
		wg.Go(func() {
			s, err := store.Create(t.Context(), file)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for i := range runs {
				n, err := s.Add(t.Context(), sample((i+w)%runs))
				if err != nil {
					t.Error(err)
				}
				added[w] += n
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range added {
		total += n
	}
	require.Equal(t, runs, total)
}

// TestKilled kills a process that adds runs, again and again, and checks that the file holds
// each run that was reported as added, once.
func TestKilled(t *testing.T) {
	if file := os.Getenv("WEFT_STORE_WRITER"); file != "" {
		s, err := store.Create(t.Context(), file)
		require.NoError(t, err)
		for i := 0; ; i++ {
			_, err := s.Add(t.Context(), sample(i))
			require.NoError(t, err)
			fmt.Println("added", i)
		}
	}
	file := filepath.Join(t.TempDir(), "r.db")
	most := -1
	for round := range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "WEFT_STORE_WRITER="+file)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		for n := 0; n < 5*(round+1); n++ {
			var i int
			_, err := fmt.Fscanf(out, "added %d\n", &i)
			require.NoError(t, err)
			most = max(most, i)
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}
	s := create(t, file)
	got, err := s.SQL(t.Context(), "SELECT count(*), count(DISTINCT point), (SELECT count(*) FROM metrics), (SELECT count(*) FROM attachments) FROM runs")
	require.NoError(t, err)
	n := got.Rows[0][0].(int64)
	require.GreaterOrEqual(t, n, int64(most+1))
	require.Equal(t, []any{n, n, n, n}, got.Rows[0])
}

// BenchmarkTenMillion asks the usual questions of a file with ten million metrics.
func BenchmarkTenMillion(b *testing.B) {
	file := filepath.Join(b.TempDir(), "r.db")
	s, err := store.Create(b.Context(), file)
	require.NoError(b, err)
	defer s.Close()
	const runs, metrics, batch = 100_000, 100, 1000
	for first := 0; first < runs; first += batch {
		var list []*store.Run
		for i := first; i < first+batch; i++ {
			r := sample(i)
			r.Attachments, r.Metrics, r.Settings["l2.latency"] = nil, nil, fmt.Sprint(i%1000)
			for m := range metrics {
				r.Metrics = append(r.Metrics, store.Metric{Name: fmt.Sprintf("counter%d", m), Unit: "inst", Value: float64(i * m)})
			}
			list = append(list, r)
		}
		_, err := s.Add(b.Context(), list...)
		require.NoError(b, err)
	}
	for name, q := range map[string]store.Query{
		"first":   {Limit: 20},
		"setting": {Where: []string{"l2.latency=500"}, Columns: []string{"scheduler", "counter7", "counter8"}},
		"metric":  {Where: []string{"counter99>9000000"}, Columns: []string{"scheduler", "counter7"}},
		"order":   {Columns: []string{"scheduler", "counter7"}, Order: []string{"-counter7"}, Limit: 10},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := s.Query(b.Context(), q)
				require.NoError(b, err)
			}
		})
	}
	b.Run("mean", func(b *testing.B) {
		for b.Loop() {
			_, err := s.SQL(b.Context(), "SELECT scheduler, avg(value) FROM measured WHERE metric = 'counter50' GROUP BY scheduler")
			require.NoError(b, err)
		}
	})
}
