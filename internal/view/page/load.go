package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// Options say what a page has.
type Options struct {
	Title string   // "" for the names of the studies
	Where []string // conditions on runs; see store.Query
	// Specs take the place of those of their names in the store.
	Specs []*spec.Spec
	// Preset returns the parameters of a device as it comes, or nil if it has none. May be nil.
	Preset func(device string) map[string]any
	// UnitOf returns the unit of a setting, "" if it has none. May be nil.
	UnitOf func(setting string) string
}

// ErrNoRuns is the error of Load if a store has no runs, or none that the conditions select.
var ErrNoRuns = errors.New("no runs")

// loader collects a page.
type loader struct {
	store    *store.Store
	options  Options
	page     *Page
	columns  map[string]*values
	machines map[string]*Machine
	specs    map[string]bool
	versions map[string]bool
	hosts    map[string]bool
	devices  map[string]bool
	palette  *plot.Palette
	first    time.Time
	last     time.Time
}

// Load reads the runs of a store.
func Load(ctx context.Context, st *store.Store, o Options) (*Page, error) {
	l := &loader{store: st, options: o, columns: map[string]*values{}, machines: map[string]*Machine{}, specs: map[string]bool{},
		versions: map[string]bool{}, hosts: map[string]bool{}, devices: map[string]bool{},
		palette: plot.NewPalette(st), page: &Page{Store: filepath.Base(st.File()), Where: o.Where, Theme: plot.ThemeOf()}}
	for _, c := range store.Columns() {
		l.columns[c.Name] = &values{Column: Column{Name: c.Name, Unit: c.Unit, Meaning: c.Meaning, Kind: KindRun}}
	}
	if err := st.Runs(ctx, o.Where, func(id int64, r *store.Run) error { return l.add(ctx, id, r) }); err != nil {
		return nil, err
	}
	p := l.page
	if p.Runs == 0 {
		return nil, ErrNoRuns
	}
	l.finish()
	p.Versions, p.Hosts, p.Devices = sorted(l.versions), sorted(l.hosts), sorted(l.devices)
	p.First, p.Last = l.first.Format(time.DateTime), l.last.Format(time.DateTime)
	if err := l.addMachines(ctx, o.Preset); err != nil {
		return nil, err
	}
	var mistakes []string
	names, err := l.specNames(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range o.Specs {
		l.plots(ctx, s, &mistakes)
		p.Specs = append(p.Specs, Spec{Name: s.Name, File: s.File, Text: s.Text})
	}
	for _, hash := range sorted(l.specs) {
		if slices.ContainsFunc(o.Specs, func(s *spec.Spec) bool { return s.Name == names[hash] }) {
			continue
		}
		if err := l.addSpec(ctx, hash, names[hash], &mistakes); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.Specs, func(a, b Spec) int { return cmp.Compare(a.Name, b.Name) })
	p.Figures = append(p.Figures, defaults(p)...)
	if err := l.looks(ctx); err != nil {
		return nil, err
	}
	p.Notes = mistakes
	p.Title = o.Title
	if p.Title == "" {
		p.Title = l.title()
	}
	return p, nil
}

// add adds a run.
func (l *loader) add(ctx context.Context, id int64, r *store.Run) error {
	row := l.page.Runs
	l.page.Runs++
	number := func(name string, x float64) { l.columns[name].number(row, x) }
	text := func(name, s string) {
		if s != "" {
			l.columns[name].text(row, s)
		}
	}
	number("id", float64(id))
	number("repeat", float64(r.Repeat))
	number("wall", r.Wall)
	if r.Vertices > 0 {
		number("vertices", float64(r.Vertices))
		number("arcs", float64(r.Arcs))
	}
	for name, s := range map[string]string{
		"point": r.Point, "spec": r.Spec, "status": string(r.Status), "error": r.Error, "algorithm": r.Algorithm, "scheduler": r.Scheduler,
		"kernel": r.Kernel, "kernel_hash": r.KernelHash, "graph": r.Graph, "graph_hash": r.GraphHash, "device": r.Device, "machine": r.Machine,
		"driver": r.Driver, "seed": fmt.Sprint(r.Seed), "version": r.Version, "date": r.Date.UTC().Format(time.DateTime), "host": r.Host, "command": r.Command,
	} {
		text(name, s)
	}
	for name, s := range r.Settings {
		c := l.columns[name]
		if c == nil {
			c = &values{Column: Column{Name: name, Meaning: "setting", Kind: KindSetting}}
			if l.options.UnitOf != nil {
				c.Unit = l.options.UnitOf(name)
			}
			l.columns[name] = c
		}
		if c.Kind == KindSetting {
			c.text(row, s)
		}
	}
	for _, m := range r.Metrics {
		c := l.columns[m.Name]
		if c == nil {
			c = &values{Column: Column{Name: m.Name, Unit: m.Unit, Meaning: m.Meaning, Kind: KindMetric}}
			l.columns[m.Name] = c
		}
		if c.Kind == KindMetric {
			c.number(row, m.Value)
		}
	}
	if r.Spec != "" {
		l.specs[r.Spec] = true
	}
	if r.Version != "" {
		l.versions[r.Version] = true
	}
	if r.Host != "" {
		l.hosts[r.Host] = true
	}
	if r.Device != "" {
		l.devices[r.Device] = true
	}
	if row == 0 || r.Date.Before(l.first) {
		l.first = r.Date.UTC()
	}
	if row == 0 || r.Date.After(l.last) {
		l.last = r.Date.UTC()
	}
	if r.Machine != "" {
		m := l.machines[r.Machine]
		if m == nil {
			m = &Machine{Hash: r.Machine}
			l.machines[r.Machine] = m
		}
		m.Runs++
		if !slices.Contains(m.Devices, r.Device) {
			m.Devices = append(m.Devices, r.Device)
		}
	}
	if r.Status == store.Hang || r.Status == store.Undecided {
		return l.addHang(ctx, id, r)
	}
	return nil
}

// addHang adds the report of a run that did not end.
func (l *loader) addHang(ctx context.Context, id int64, r *store.Run) error {
	h := Hang{Run: id, Kind: string(r.Status), Text: r.Error, Boxes: []Box{}, Lines: []Arrow{}}
	data, err := l.store.Attachment(ctx, id, string(r.Status))
	if err != nil {
		return err
	}
	var details struct{ Graph *device.WaitGraph } // of a device.HangError or a device.UndecidedError
	if data != nil {
		if err := json.Unmarshal(data, &details); err != nil {
			return fmt.Errorf("run %d in %s: its attachment %q: %w", id, l.store.File(), r.Status, err)
		}
	}
	if details.Graph != nil {
		p := waitfor.Draw(details.Graph)
		for _, b := range p.Boxes {
			h.Boxes = append(h.Boxes, Box{b.Lines, b.Outside})
		}
		for _, a := range p.Arrows {
			h.Lines = append(h.Lines, Arrow{a.From, a.To, a.Lines})
		}
	}
	l.page.Hangs = append(l.page.Hangs, h)
	return nil
}

// addMachines adds the machines in order of their hash, compared with their presets.
func (l *loader) addMachines(ctx context.Context, preset func(string) map[string]any) error {
	for _, hash := range slices.Sorted(maps.Keys(l.machines)) {
		m := l.machines[hash]
		slices.Sort(m.Devices)
		data, err := l.store.Machine(ctx, hash)
		if err != nil {
			return err
		}
		m.Changed, m.Parameters = []Parameter{}, map[string]string{}
		if data != nil {
			var all map[string]json.RawMessage
			if err := json.Unmarshal(data, &all); err != nil {
				return fmt.Errorf("machine %s in %s: %w", hash, l.store.File(), err)
			}
			for name, v := range all {
				m.Parameters[name] = string(v)
			}
			if err := m.compare(preset); err != nil {
				return err
			}
		}
		l.page.Machines = append(l.page.Machines, *m)
	}
	return nil
}

// compare compares a machine with its preset.
func (m *Machine) compare(preset func(string) map[string]any) error {
	if preset == nil || len(m.Devices) != 1 {
		return nil
	}
	before := preset(m.Devices[0])
	if before == nil {
		return nil
	}
	m.Preset = m.Devices[0]
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		was, err := json.Marshal(before[name])
		if err != nil {
			return err
		}
		if string(was) != m.Parameters[name] {
			m.Changed = append(m.Changed, Parameter{name, m.Parameters[name], string(was)})
		}
	}
	return nil
}

// specNames returns the names of the specifications by their hash.
func (l *loader) specNames(ctx context.Context) (map[string]string, error) {
	t, err := l.store.SQL(ctx, "SELECT hash, name FROM specs")
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, row := range t.Rows {
		names[fmt.Sprint(row[0])] = fmt.Sprint(row[1])
	}
	return names, nil
}

// addSpec adds a specification and its plots. A mistake in those is noted in the page.
func (l *loader) addSpec(ctx context.Context, hash, name string, mistakes *[]string) error {
	text, err := l.store.Spec(ctx, hash)
	if err != nil || text == nil {
		return err
	}
	file := cmp.Or(name, hash) + ".yaml"
	l.page.Specs = append(l.page.Specs, Spec{Hash: hash, Name: cmp.Or(name, hash), File: file, Text: string(text)})
	s, err := spec.Parse(file, text, nil)
	if err != nil { // written by another version: the text is still worth reading
		*mistakes = append(*mistakes, fmt.Sprintf("the specification %s cannot be read: %v", file, err))
		return nil
	}
	s.File = file
	l.plots(ctx, s, mistakes)
	return nil
}

// plots adds the plots of a specification.
func (l *loader) plots(ctx context.Context, s *spec.Spec, mistakes *[]string) {
	if l.page.Doc == "" {
		l.page.Doc = s.Doc
	}
	study := plot.StudyOf(s.Points)
	study.Name = s.Name
	for i, section := range s.Plots {
		p, err := l.plot(ctx, section, study)
		if err != nil {
			*mistakes = append(*mistakes, fmt.Sprintf("plot %d of %s is not shown: %v", i+1, s.Name, err))
			continue
		}
		p.From, p.Spec = fmt.Sprintf("plot %d of %s", i+1, s.Name), s.File
		l.page.Plots = append(l.page.Plots, *p)
	}
}

// mostLooks is the number of values of a column that can tell series apart: many times as many as a figure shows.
const mostLooks = 400

// looks adds the values of the columns that a reader may choose as series.
func (l *loader) looks(ctx context.Context) error {
	l.page.Looks = map[string][]string{}
	for i := range l.page.Columns {
		c := &l.page.Columns[i]
		if c.Kind == KindMetric || !c.Varies() || c.distinct() > mostLooks {
			continue
		}
		list, err := l.palette.Values(ctx, c.Name)
		if err != nil {
			return err
		}
		l.page.Looks[c.Name] = list
	}
	return nil
}

// title returns the names of the studies.
func (l *loader) title() string {
	const most = 3
	title := ""
	for i, s := range l.page.Specs {
		switch {
		case i == most:
			return title + fmt.Sprintf(" and %d more", len(l.page.Specs)-most)
		case i > 0:
			title += ", "
		}
		title += s.Name
	}
	return cmp.Or(title, l.page.Store)
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
