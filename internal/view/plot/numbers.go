package plot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// Numbers are what a picture shows, for those who draw it otherwise, such as "weft report".
type Numbers struct {
	Description
	Kind   Kind   `json:"kind"`
	File   string `json:"file"`             // name of the picture's file, without ending
	Base   string `json:"base,omitempty"`   // the runs that have the ratio 1
	Spread string `json:"spread,omitempty"` // what Lo and Hi are: one of spreads
	LogX   bool   `json:"log_x,omitempty"`
	LogY   bool   `json:"log_y,omitempty"`

	Facets []string `json:"facets,omitempty"` // headings of the panels; none for a correlation
	// X are the values of the horizontal axis. At has them as numbers; it is nil if they are categories. Edges are
	// where the bins of a histogram begin and where the last one ends; there is one more than there are X.
	X     []string  `json:"x,omitempty"`
	At    []float64 `json:"at,omitempty"`
	Edges []float64 `json:"edges,omitempty"`

	// Of a picture over time: each of Counters is a row of panels, and Lines are what is in them, until End seconds.
	Counters []Counter `json:"counters,omitempty"`
	Lines    []Line    `json:"lines,omitempty"`
	End      float64   `json:"end,omitempty"`

	Values []Value `json:"values,omitempty"`
	Pairs  []Pair  `json:"pairs,omitempty"` // of a correlation
}

// Value is a point, a bar or a cell. Facet, Series and X are indices.
type Value struct {
	Facet  int     `json:"f"`
	Series int     `json:"s"`
	X      int     `json:"x"`
	Y      float64 `json:"y"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Runs   []int64 `json:"runs"` // their ids
}

// Counter is what is drawn over time.
type Counter struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
}

// Line is a counter over the time of a run: its means over equal intervals from 0 to End, in seconds, with four digits. Counter,
// Facet and Series are indices. Launches has the begin and the end of each launch where a picture shades them.
type Line struct {
	Counter  int          `json:"c"`
	Facet    int          `json:"f"`
	Series   int          `json:"s"`
	End      float64      `json:"end"`
	Means    []float64    `json:"means"`
	Launches [][2]float64 `json:"launches,omitempty"`
	Run      int64        `json:"run"`
}

// Pair is a point of a correlation.
type Pair struct {
	Series  int     `json:"s"`
	Name    string  `json:"name"`
	A       float64 `json:"a"`
	B       float64 `json:"b"`
	Outlier bool    `json:"outlier,omitempty"` // a picture names it
	Runs    []int64 `json:"runs"`
}

// Read computes what Draw draws, from the same runs in the same way.
func Read(ctx context.Context, st *store.Store, s *Spec) (*Numbers, error) {
	n := &Numbers{Kind: s.Kind, File: s.File, LogX: s.LogX, LogY: s.LogY, Base: strings.Join(s.Baseline, ", ")}
	var err error
	switch s.Kind {
	case Lines, Bars:
		err = n.measured(ctx, st, s)
	case Heat:
		err = n.cells(ctx, st, s)
	case Histogram:
		err = n.counted(ctx, st, s)
	case Correlation:
		err = n.compared(ctx, st, s)
	case Time:
		err = n.timed(ctx, st, s)
	default:
		err = fmt.Errorf("kind: %s has no numbers of runs", s.Kind)
	}
	if err != nil {
		return nil, s.placed(err)
	}
	return n, nil
}

func (n *Numbers) measured(ctx context.Context, st *store.Store, s *Spec) error {
	d, _, _, err := s.measuredOver(ctx, st)
	if err != nil {
		return err
	}
	if n.Spread = s.Spread; n.Spread == "" {
		n.Spread = spreads[0]
	}
	if s.Reduce == "sum" {
		n.Spread = "none"
	}
	n.add(s, d)
	return nil
}

func (n *Numbers) cells(ctx context.Context, st *store.Store, s *Spec) error {
	d, _, err := s.cells(ctx, st)
	if err != nil {
		return err
	}
	n.add(s, d)
	n.At = nil // rows and columns are categories
	return nil
}

func (n *Numbers) counted(ctx context.Context, st *store.Store, s *Spec) error {
	d, b, err := s.counted(ctx, st)
	if err != nil {
		return err
	}
	for i := range b.n + 1 {
		n.Edges = append(n.Edges, b.begin(i))
	}
	n.add(s, d)
	return nil
}

func (n *Numbers) compared(ctx context.Context, st *store.Store, s *Spec) error {
	d, pairs, err := s.compared(ctx, st)
	if err != nil {
		return err
	}
	n.Description = d.Description
	far := outliers(pairs)
	for _, p := range pairs {
		outlier := slices.ContainsFunc(far, func(o pair) bool { return o.name == p.name && o.series == p.series && o.a == p.a && o.b == p.b })
		n.Pairs = append(n.Pairs, Pair{slices.Index(d.series, p.series), p.name, p.a, p.b, outlier, p.runs})
	}
	return nil
}

func (n *Numbers) timed(ctx context.Context, st *store.Store, s *Spec) error {
	t, err := s.kept(ctx, st)
	if err != nil {
		return err
	}
	n.Description, n.End = t.Description, t.end
	for _, f := range t.facets {
		n.Facets = append(n.Facets, s.heading(f, t.columns))
	}
	for i, name := range t.counters {
		n.Counters = append(n.Counters, Counter{name, t.units[i]})
		for f, panel := range t.panels[i] {
			for _, l := range panel.lines {
				line := Line{Counter: i, Facet: f, Series: l.series, End: l.end, Run: l.run}
				for _, v := range l.values {
					short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
					line.Means = append(line.Means, short)
				}
				for _, launch := range panel.launches {
					line.Launches = append(line.Launches, [2]float64{launch.lo, launch.hi})
				}
				n.Lines = append(n.Lines, line)
			}
		}
	}
	return nil
}

// add adds what all kinds but a correlation have.
func (n *Numbers) add(s *Spec, d *data) {
	n.Description, n.X = d.Description, d.x.names
	for _, f := range d.facets {
		n.Facets = append(n.Facets, s.heading(f, d.columns))
	}
	if d.x.numbers != nil {
		for _, x := range d.x.names {
			n.At = append(n.At, d.x.numbers[x])
		}
	}
	for f, facet := range d.facets {
		for i, series := range d.series {
			for x, name := range d.x.names {
				if c := d.cells[place{facet, series, name}]; c != nil {
					n.Values = append(n.Values, Value{f, i, x, c.center, c.lo, c.hi, c.runs})
				}
			}
		}
	}
}

// Flags returns the flags of "weft plot" that say what the Spec says, without the file and the study.
func (s *Spec) Flags() (list []string) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, "--"+name, value)
		}
	}
	for _, k := range s.keys() {
		switch {
		case k.name == "file":
		case k.list != nil:
			for _, v := range *k.list {
				add(k.name, v)
			}
		case k.text != nil:
			add(k.name, *k.text)
		case k.flag != nil && *k.flag:
			list = append(list, "--"+k.name)
		case k.size != nil && *k.size > 0:
			add(k.name, fmt.Sprint(*k.size))
		}
	}
	return list
}
