package slurm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

func TestRanges(t *testing.T) {
	for want, list := range map[string][]int{"0": {0}, "0-4": {0, 1, 2, 3, 4}, "0-1,3,7-9": {0, 1, 3, 7, 8, 9}, "": nil} {
		require.Equal(t, want, ranges(list))
	}
	require.Equal(t, `'it'\''s $HOME'`, quote("it's $HOME"))
}

// TestDivide checks that every point is in one share, and the same one whatever else there is.
func TestDivide(t *testing.T) {
	var keys []store.Key
	for i := range 100 {
		keys = append(keys, store.Key{Point: digest(fmt.Append(nil, i))})
	}
	where := map[store.Key]store.Key{} // the first point of its share
	n := 0
	for _, part := range divide(keys, 8) {
		for _, k := range part {
			where[k] = part[0]
			n++
		}
	}
	require.Equal(t, 100, n)
	require.Len(t, where, 100)
	require.Len(t, divide(keys, 8), 8)
	for _, part := range divide(keys[50:], 8) {
		for _, k := range part {
			require.Equal(t, where[k], where[part[0]])
		}
	}
	require.LessOrEqual(t, len(divide(keys[:3], 8)), 3)
	require.Empty(t, divide(nil, 8))
}

// TestWork runs a share as a worker does, gathers what it wrote, and what a killed one left open.
func TestWork(t *testing.T) {
	s, err := spec.Parse("study.yaml", []byte("set: {algorithm: bfs, device: func, graph: 'grid:width=4'}\nvary: {scheduler: [warp, thread, block]}\n"), sweep.Check)
	require.NoError(t, err)
	plan, err := sweep.NewPlan(t.Context(), s)
	require.NoError(t, err)
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"))
	require.NoError(t, err)
	defer st.Close()
	e := &engine{o: Options{Folder: t.TempDir()}, store: st}
	for _, sub := range []string{"todo", "begun", "shards"} {
		require.NoError(t, os.Mkdir(e.path(sub), 0o777))
	}
	write := func(keys ...store.Key) string {
		text, err := json.Marshal(todo{Share: 7, Keys: keys})
		require.NoError(t, err)
		require.NoError(t, writeFile(e.path("todo", "7"), text, 0o666))
		return e.path("todo", "7")
	}
	a, b, c := plan.Tasks[0], plan.Tasks[1], plan.Tasks[2]
	none := store.Key{Point: "0123456789abcdef"}

	// A point that an earlier worker began comes last; one that is not in the plan is an error.
	require.NoError(t, os.WriteFile(e.path("begun", "7"), []byte(line(a.Key)+"\n"), 0o666))
	var order []store.Key
	ran, err := Work(t.Context(), plan, write(a.Key, b.Key, none), sweep.Running{Jobs: 1, Progress: func(p sweep.Progress) {
		if p.Began != nil {
			order = append(order, p.Began.Key)
		}
	}})
	require.EqualError(t, err, "1 of the 3 points of this share are not in the study: the specification, a graph or a kernel changed since it was submitted")
	require.Equal(t, 2, ran)
	require.Equal(t, []store.Key{b.Key, a.Key}, order)
	never := func(int) bool { return false }
	got, err := e.gather(t.Context(), never)
	require.NoError(t, err)
	require.Equal(t, map[store.Key]store.Status{a.Key: store.OK, b.Key: store.OK}, got)

	// A worker that was killed left its file open, and one that holds nothing.
	open := newShard(e.path("shards"), attempt(7), time.Hour)
	_, err = plan.Run(t.Context(), open, []*sweep.Task{c}, sweep.Running{Jobs: 1})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(e.path("shards", "7-x-0.part"), []byte("no database, but long enough to be one"), 0o666))
	got, err = e.gather(t.Context(), never)
	require.NoError(t, err)
	require.Empty(t, got, "while the worker runs, its file is its own")
	got, err = e.gather(t.Context(), func(share int) bool { return share == 7 })
	require.NoError(t, err)
	require.Equal(t, map[store.Key]store.Status{c.Key: store.OK}, got)
	require.NoError(t, open.open.Close())
	missing, err := plan.Missing(t.Context(), st, false)
	require.NoError(t, err)
	require.Empty(t, missing)
}

// TestMakeFolder checks what a sweep takes for its folder, which it removes in the end.
func TestMakeFolder(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "s.db.slurm")
	require.NoError(t, makeFolder(folder))
	require.EqualError(t, makeFolder(folder), folder+" has files that are not of a sweep, and a sweep on a cluster removes the folder of this name: move it away")
	require.NoError(t, os.WriteFile(filepath.Join(folder, lockFile), nil, 0o666))
	require.NoError(t, makeFolder(folder), "of an earlier engine")
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o777))
	require.NoError(t, makeFolder(empty))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(folder, link))
	require.EqualError(t, makeFolder(link), link+" is a symbolic link, and sweeps on a cluster make this folder themselves: remove the link")
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	require.EqualError(t, makeFolder(file), file+" is not a folder, and sweeps on a cluster make one of this name: move it away")
}

// TestWriteFile writes where others have put links.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	treasure, name := filepath.Join(dir, "treasure"), filepath.Join(dir, "job.sh")
	require.NoError(t, os.WriteFile(treasure, []byte("gold"), 0o666))
	require.NoError(t, os.Symlink(treasure, name))
	require.NoError(t, os.Symlink(treasure, name+".new"))
	require.NoError(t, writeFile(name, []byte("script"), 0o755))
	require.NoError(t, copyFile(name, treasure, 0o700))
	text, err := os.ReadFile(treasure)
	require.NoError(t, err)
	require.Equal(t, "gold", string(text))
	info, err := os.Lstat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode())
}
