package compare

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// origins are the columns that, beside settings, say what a run was a run of. Runs that differ in
// one are no repetitions of each other.
var origins = []string{"version", "kernel_hash", "graph_hash", "machine"}

// originsBut returns the origins that do not follow from settings that tell no points apart.
func originsBut(except []string) []string {
	return slices.DeleteFunc(slices.Clone(origins), func(column string) bool {
		return slices.ContainsFunc(except, func(name string) bool {
			first, _, dotted := strings.Cut(name, ".")
			program := dotted && slices.Contains([]string{"param", "bind", "arg"}, first)
			switch column {
			case "kernel_hash":
				return slices.Contains([]string{"algorithm", "scheduler", "kernel", column}, name) || program
			case "graph_hash":
				return slices.Contains([]string{"graph", "symmetrize", "drop-isolated", "permute", "power", "format", "weights", column}, name)
			case "machine":
				return slices.Contains([]string{"device", "gpus", column}, name) || dotted && !program
			}
			return false // version
		})
	})
}

// sample are the runs of a point that are repetitions of each other.
type sample struct {
	origin []string
	newest time.Time
	runs   int
	values map[string][]float64 // by metric
}

// collect reads the runs of a side. factors tell points apart.
func collect(ctx context.Context, s Side, metrics, factors, except []string) (*points, error) {
	_, known, err := s.Store.Names(ctx)
	if err != nil {
		return nil, err
	}
	p := &points{samples: map[string]map[string][]float64{}, values: map[string]map[string]string{}, exact: map[string]bool{}, units: map[string]string{}}
	for _, c := range known {
		p.units[c.Name] = c.Unit
	}
	if factors, err = s.Store.Known(ctx, factors); err != nil {
		return nil, err
	}
	from := originsBut(except)
	columns := slices.Concat([]string{"device", "date"}, from, factors, metrics)
	t, err := s.Store.Query(ctx, store.Query{Where: append(slices.Clone(s.Where), "status=ok"), Columns: columns, Order: []string{"id"}})
	if err != nil {
		return nil, err
	}
	all := map[string][]*sample{}
	for _, row := range t.Rows {
		device := table.Text(row[0])
		date, err := time.Parse(time.RFC3339Nano, table.Text(row[1]))
		if err != nil {
			return nil, fmt.Errorf("date of a run: %w", err)
		}
		var origin []string
		for i := range from {
			origin = append(origin, table.Text(row[2+i]))
		}
		rest := row[2+len(from):]
		values := map[string]string{}
		var key strings.Builder
		for i, name := range factors {
			if v := table.Text(rest[i]); v != "" {
				values[name] = v
				fmt.Fprintf(&key, "%q=%q ", name, v)
			}
		}
		k := key.String()
		if all[k] == nil {
			p.values[k] = values
			p.exact[k] = strings.HasPrefix(device, "sim:") || strings.HasPrefix(device, "func")
			p.order = append(p.order, k)
		}
		i := slices.IndexFunc(all[k], func(x *sample) bool { return slices.Equal(x.origin, origin) })
		if i < 0 {
			i = len(all[k])
			all[k] = append(all[k], &sample{origin: origin, values: map[string][]float64{}})
		}
		x := all[k][i]
		x.runs++
		if date.After(x.newest) {
			x.newest = date
		}
		for i, m := range metrics {
			if v, ok := table.Number(rest[len(factors)+i]); ok {
				x.values[m] = append(x.values[m], v)
			}
		}
	}
	slices.SortFunc(p.order, func(a, b string) int { return byValues(factors, p.values[a], p.values[b]) })
	p.newest(all, from)
	return p, nil
}

// byValues orders points by what they are, numbers by size: the order of runs in a file is that in which a sweep ended them.
func byValues(factors []string, a, b map[string]string) int {
	for _, name := range factors {
		x, okX := table.Number(a[name])
		y, okY := table.Number(b[name])
		c := strings.Compare(a[name], b[name])
		if okX && okY && x != y {
			c = cmp.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// newest takes over the newest sample of each point, and counts the others.
func (p *points) newest(all map[string][]*sample, from []string) {
	differ, versions := map[string]bool{}, map[string]bool{}
	for _, key := range p.order {
		last := slices.MaxFunc(all[key], func(a, b *sample) int { return a.newest.Compare(b.newest) })
		p.samples[key] = last.values
		if len(all[key]) > 1 {
			p.older.Points++
		}
		for _, x := range all[key] {
			if x == last {
				continue
			}
			p.older.Runs += x.runs
			for i, column := range from {
				if x.origin[i] != last.origin[i] {
					differ[column] = true
				}
			}
			if i := slices.Index(from, "version"); i >= 0 {
				versions[x.origin[i]] = true
			}
		}
	}
	p.older.Differ, p.older.Versions = slices.Sorted(maps.Keys(differ)), slices.Sorted(maps.Keys(versions))
}
