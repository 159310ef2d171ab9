package plot

import (
	"context"
	"sync"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
)

// Study is the points of a specification: a picture of one shows its runs alone, and its values in its order. A run belongs
// to a point that has the same settings, whatever version of weft ran it. Its methods may be called for nil.
type Study struct {
	Name   string              // for captions; may be ""
	keys   map[string]bool     // of points; see spec.Point.Key
	values map[string][]string // by setting, in the order of the specification

	mu  sync.Mutex
	ids map[*store.Store]map[int64]bool
}

// StudyOf returns the study of the points of a specification.
func StudyOf(points []spec.Point) *Study {
	s := &Study{keys: map[string]bool{}, values: map[string][]string{}, ids: map[*store.Store]map[int64]bool{}}
	seen := map[[2]string]bool{}
	for _, p := range points {
		s.keys[p.Key()] = true
		for _, v := range p.Settings {
			if k := [2]string{v.Name, v.Value}; !seen[k] {
				seen[k] = true
				s.values[v.Name] = append(s.values[v.Name], v.Value)
			}
		}
	}
	return s
}

// order returns the values of a setting, in order.
func (s *Study) order(name string) []string {
	if s == nil {
		return nil
	}
	return s.values[name]
}

// part reports whether a store has runs that do not belong to the study.
func (s *Study) part(ctx context.Context, st *store.Store) (bool, error) {
	ids, err := s.runs(ctx, st)
	if err != nil || ids == nil {
		return false, err
	}
	t, err := st.Query(ctx, store.Query{Columns: []string{"id"}, Limit: len(ids) + 1})
	if err != nil {
		return false, err
	}
	return len(t.Rows) > len(ids), nil
}

// runs returns the numbers of the runs in a store that belong to the study; nil means all runs.
func (s *Study) runs(ctx context.Context, st *store.Store) (map[int64]bool, error) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ids, ok := s.ids[st]; ok {
		return ids, nil
	}
	all, err := st.Spellings(ctx)
	if err != nil {
		return nil, err
	}
	ids := map[int64]bool{}
	for id, spellings := range all {
		for _, settings := range spellings {
			var p spec.Point
			for name, value := range settings {
				p.Settings = append(p.Settings, spec.Setting{Name: name, Value: value})
			}
			if s.keys[p.Key()] {
				ids[id] = true
			}
		}
	}
	s.ids[st] = ids
	return ids, nil
}
