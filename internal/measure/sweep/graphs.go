package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
)

// shelf has the graphs that tasks need now: each is read once, by the first task that needs it,
// and dropped after the last one.
type shelf struct {
	mu   sync.Mutex
	open map[string]*shelved
}

// shelved is a graph of several tasks.
type shelved struct {
	left  int // tasks that have not ended
	once  sync.Once
	graph *graph.CSR
	notes graph.Notes
	hash  string // of the graph's arcs and weights
	err   error
	memo  *memo.Memo // what the tasks compute alike: facts, the symmetric closure, answers of the CPU
}

// graphKey identifies a graph with its options.
func graphKey(g *graphs.Named) string { return strings.Join(g.Args(), "\x00") }

// newShelf returns the shelf for tasks. keep is how many bytes the memo of a graph may have.
func newShelf(tasks []*Task, keep uint64) *shelf {
	s := &shelf{open: map[string]*shelved{}}
	for _, t := range tasks {
		if t.settings.kernel != nil {
			continue
		}
		key := graphKey(&t.settings.graph)
		if s.open[key] == nil {
			s.open[key] = &shelved{memo: memo.New(keep)}
		}
		s.open[key].left++
	}
	return s
}

// take returns the graph of a task, which the first task reads.
func (s *shelf) take(ctx context.Context, t *Task) (*shelved, error) {
	s.mu.Lock()
	g := s.open[graphKey(&t.settings.graph)]
	s.mu.Unlock()
	g.once.Do(func() {
		if g.graph, g.notes, g.err = t.settings.graph.Load(ctx, io.Discard); g.err == nil {
			g.hash = g.graph.Hash()
		}
	})
	return g, g.err
}

// rightSize returns an error if a graph has not the size that the specification says.
func rightSize(g *graph.CSR, named *spec.Graph) error {
	if named == nil || (named.Vertices == 0 || named.Vertices == g.Vertices()) && (named.Arcs == 0 || named.Arcs == g.Arcs()) {
		return nil
	}
	var want []string
	if named.Vertices > 0 {
		want = append(want, fmt.Sprintf("%d vertices", named.Vertices))
	}
	if named.Arcs > 0 {
		want = append(want, fmt.Sprintf("%d arcs", named.Arcs))
	}
	return fmt.Errorf("graph %s has %d vertices and %d arcs; it must have %s", named.Name, g.Vertices(), g.Arcs(), strings.Join(want, " and "))
}

// absentGraph is the error for a graph file that is named without a folder and is not there.
type absentGraph struct {
	error
	file, folder string // folder of the graph files; "" if the user named none
}

func (e *absentGraph) Unwrap() error { return e.error }

// hint says how to name the folder that has the file.
func (e *absentGraph) hint() usage.Message {
	if e.folder != "" {
		return usage.Say("%s names the folder of the graph files; %s lacks them", option.GraphFolder, e.folder)
	}
	return usage.Say("name the folder of the graph files by %s", option.GraphFolder.With("FOLDER"))
}

// inFolder returns err as an *absentGraph if the option that names the folder of the graph files mends it.
func (p *planner) inFolder(file string, err error) error {
	folder := p.spec.GraphFolder
	// A name with a folder of its own, "./a.mtx", is not looked up there.
	inside := folder == "" && filepath.Base(file) == file || folder != "" && filepath.Dir(file) == filepath.Clean(folder)
	if errors.Is(err, fs.ErrNotExist) && inside {
		return &absentGraph{err, file, folder}
	}
	return err
}

// done says that a task has ended.
func (s *shelf) done(t *Task) {
	if t.settings.kernel != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := graphKey(&t.settings.graph)
	if s.open[key].left--; s.open[key].left == 0 {
		delete(s.open, key)
	}
}
