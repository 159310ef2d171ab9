package explore

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/policy"
)

// drawer draws schedules.
type drawer struct {
	all      []Point
	at       map[policy.Pause]string
	by       [][]Point // by instruction
	launches []policy.Launch
	given    map[string]bool // parameters that the user has set
	fixed    bool
	plain    bool
}

func newDrawer(c *Config, r *recorder) *drawer {
	d := &drawer{launches: r.launches, given: map[string]bool{}, fixed: c.Fixed, plain: c.Plain, at: map[policy.Pause]string{}}
	d.all, d.by = r.points()
	for _, p := range d.all {
		d.at[p.Pause] = p.At
	}
	for _, text := range c.Set {
		for part := range strings.SplitSeq(text, ",") {
			path, _, _ := strings.Cut(part, "=")
			d.given[strings.TrimSpace(path)] = true
		}
	}
	return d
}

// mostPauses is the largest number of change points of a schedule.
const mostPauses = 3

// draw returns the schedule of a seed.
func (d *drawer) draw(seed uint64) Setting {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	s := Setting{Seed: seed}
	// Delays at several scales: short ones change the order of neighbouring accesses, long ones that of whole blocks.
	if scale := []float64{0, 0.25, 1, 4}[r.IntN(4)]; d.plain {
		d.delay(&s, 1)
	} else if scale > 0 {
		d.delay(&s, scale)
	}
	if r.IntN(2) == 0 || d.plain {
		d.set(&s, "launch.order", "random")
	}
	if r.IntN(2) == 0 || d.plain {
		d.set(&s, "issue.scheduler", "random")
	}
	if d.fixed {
		return s
	}
	o := &policy.Schedule{Shuffle: r.IntN(2) == 0 || d.plain}
	if !d.plain {
		n := min(r.IntN(mostPauses+2), mostPauses) // none in every fifth schedule
		for range n {
			if p, ok := d.point(r); ok && !slices.Contains(o.Pauses, p.Pause) {
				o.Pauses = append(o.Pauses, p.Pause)
			}
		}
	}
	if o.Shuffle || len(o.Pauses) > 0 {
		s.Schedule = o
	}
	return s
}

// delay sets the largest delays; scale 1 is that of config.GPU.VarySchedules.
func (d *drawer) delay(s *Setting, scale float64) {
	for path, cycles := range map[string]float64{"jitter.sm": 300, "jitter.block": 200, "jitter.message": 150} {
		d.set(s, path, strconv.Itoa(int(cycles*scale)))
	}
	slices.SortFunc(s.Set, func(a, b devices.Setting) int { return strings.Compare(a.Path, b.Path) })
}

// set sets a parameter, unless the user has.
func (d *drawer) set(s *Setting, path, value string) {
	if !d.given[path] {
		s.Set = append(s.Set, devices.Setting{Path: path, Value: value})
	}
}

// point draws a change point: often by the instruction, so that one that is executed once has the same chance as one in
// a loop, and sometimes the beginning of a warp, so that it comes after all others.
func (d *drawer) point(r *rand.Rand) (p Point, ok bool) {
	switch {
	case len(d.all) == 0:
		return p, false
	case r.IntN(6) == 0:
		i := r.IntN(len(d.launches))
		l := &d.launches[i]
		return Point{Pause: policy.Pause{Launch: i, Block: r.IntN(l.Blocks), Warp: r.IntN(l.Warps)}}, true
	case r.IntN(2) == 0:
		return d.all[r.IntN(len(d.all))], true
	}
	of := d.by[r.IntN(len(d.by))]
	return of[r.IntN(len(of))], true
}

// pausesOf returns the change points of a setting.
func pausesOf(s *Setting) []policy.Pause {
	if s.Schedule == nil {
		return nil
	}
	return s.Schedule.Pauses
}
