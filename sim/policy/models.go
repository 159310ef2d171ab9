package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/bitmix"
)

// Model is a Control that is as unhelpful to a kernel as a progress model allows: what the model does not promise does
// not happen, and what it promises happens late. The models are those that Sorensen et al. define for workgroups, which
// are blocks here ("Specifying and Testing GPU Workgroup Progress Models", OOPSLA 2021, section 3). In a launch with
// clusters they are whole clusters: these are placed as a whole, and if one goes on, all of its blocks do. A seed selects
// one of the schedules that the model allows; what the model guarantees to end ends under each of them.
//
// A block that the model treats fairly may be made to wait, but not for ever. So it also sees a value that comes and
// goes, and the weak and the strong variant of each model differ in nothing here.
type Model struct {
	Name string
	What string // what it promises, on one line

	anyOrder bool // blocks are placed in any order, not by their number
	lowest   bool // the lowest-numbered block that has not ended is placed, and fair
	occupied bool // the number of resident blocks may be as low as the rest allows
	unfair   bool // resident blocks may wait for ever, but for the lowest
	whole    bool // all blocks are resident
}

var models = []Model{
	{Name: "obe", What: "a block that has begun goes on, and others may not begin before it has ended", anyOrder: true, occupied: true},
	{Name: "hsa", What: "the lowest-numbered block that has not ended goes on; others may wait for ever", lowest: true, unfair: true},
	{Name: "hsa_obe", What: "both: blocks that have begun and the lowest-numbered one that has not ended go on", anyOrder: true, lowest: true, occupied: true},
	{Name: "lobe", What: "a block that has begun and all lower-numbered ones go on", occupied: true},
	{Name: "weak_fair", What: "all blocks go on; the grid must fit on the machine", anyOrder: true, whole: true},
}

// Models returns the models.
func Models() []Model { return slices.Clone(models) }

// ModelNamed returns a model.
func ModelNamed(name string) (*Model, error) {
	var names []string
	for _, m := range models {
		if m.Name == name {
			return &m, nil
		}
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("unknown progress model %q; there are %s", name, strings.Join(names, ", "))
}

// Begin draws a schedule for a launch.
func (m *Model) Begin(l Launch) (BlockOrder, StepOrder, error) {
	if m.whole && l.Room < l.Blocks {
		return nil, nil, fmt.Errorf("progress model %s: all blocks must be resident, but %d of the %d blocks fit on the machine at once", m.Name, l.Room, l.Blocks)
	}
	r := draw{bitmix.Mix(l.Seed+1) + bitmix.Mix(uint64(l.Index)+1<<40)}
	all, room := l.Blocks/l.size(), l.Room/l.size()
	o := &modelOrder{model: m, most: min(all, room), size: l.size(), blocks: l.Blocks, ended: make([]bool, l.Blocks), gone: make([]int, all)}
	if m.occupied && o.most > 1 {
		// Never all of them: a kernel for which that matters hangs with any smaller number.
		o.most = 1
		if r.below(2) > 0 {
			o.most += r.below(min(room, all-1))
		}
	}
	o.rest = l.clusters()
	if m.anyOrder {
		r.shuffle(o.rest)
	}
	if m.unfair {
		return o, newAbandoned(o, &r), nil
	}
	if p := newPauses(r.pauses(&l), l.Index); p != nil {
		return o, p, nil
	}
	return o, nil, nil
}

// shuffle puts a list in a random order.
func (r *draw) shuffle(list []int) {
	for i := range list {
		j := i + r.below(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}

// pauses draws pauses for a launch: few in all, since each takes long if other blocks wait for the block.
func (r *draw) pauses(l *Launch) (list []Pause) {
	const most = 8
	for range r.below(most + 1) {
		list = append(list, Pause{Launch: l.Index, Block: r.below(l.Blocks), Warp: r.below(l.Warps), Step: r.step()})
	}
	return list
}

// step draws a number of steps: each magnitude up to 2^10, the smaller ones more often.
func (r *draw) step() int {
	n := 1 << min(r.below(11), r.below(11))
	return n - 1 + r.below(n)
}

// modelOrder places blocks, or clusters of them, as a model allows.
type modelOrder struct {
	model    *Model
	size     int   // blocks that are placed together
	most     int   // clusters that may be resident
	rest     []int // the first blocks of those that are not placed yet, in order
	resident int   // clusters
	blocks   int
	ended    []bool
	gone     []int // by cluster: blocks that have ended
	low      int   // the lowest block that has not ended
}

// lowest reports whether a block is in the cluster of the lowest block that has not ended.
func (o *modelOrder) lowest(block int) bool { return block/o.size == o.low/o.size }

// Next returns the first block of the next cluster, if another may be resident.
func (o *modelOrder) Next() int {
	if o.resident >= o.most {
		return -1
	}
	i := 0
	if o.model.lowest {
		if at := slices.IndexFunc(o.rest, o.lowest); at >= 0 {
			i = at
		}
	}
	next := o.rest[i]
	o.rest = slices.Delete(o.rest, i, i+1)
	o.resident++
	return next
}

// Ended notes that a block has ended.
func (o *modelOrder) Ended(block int) {
	if o.gone[block/o.size]++; o.gone[block/o.size] == o.size {
		o.resident--
	}
	o.ended[block] = true
	for o.low < o.blocks && o.ended[o.low] {
		o.low++
	}
}

// String says what keeps blocks from being placed.
func (o *modelOrder) String() string {
	if !o.model.occupied {
		return "progress model " + o.model.Name
	}
	what := "block"
	if o.size > 1 {
		what = "cluster"
	}
	if o.most != 1 {
		what += "s"
	}
	return fmt.Sprintf("progress model %s with at most %d %s at a time", o.model.Name, o.most, what)
}
