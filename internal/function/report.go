package function

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
)

// counters are the device's counters, in the order of reports. Each is a sum
// over the instructions of a program that pass its filter.
var counters = []struct {
	*counter.Counter
	value func(in *ir.Inst, s *step, t *tally, space ir.Space) uint64
}{
	{counter.Must("smsp__inst_executed.sum"), func(_ *ir.Inst, _ *step, t *tally, _ ir.Space) uint64 { return t.warps }},
	{counter.Must("smsp__thread_inst_executed.sum"), func(_ *ir.Inst, _ *step, t *tally, _ ir.Space) uint64 { return t.lanes }},
	{counter.Must("smsp__thread_inst_executed_pred_on.sum"), func(_ *ir.Inst, s *step, t *tally, _ ir.Space) uint64 {
		if s.guarded {
			return t.acted
		}
		return t.lanes
	}},
	{counter.Must("smsp__inst_executed_op_global_ld.sum"), access(ir.ActLoad, ir.Global)},
	{counter.Must("smsp__inst_executed_op_global_st.sum"), access(ir.ActStore, ir.Global)},
	{counter.Must("smsp__inst_executed_op_global_atom.sum"), globalAtomic(true)},
	{counter.Must("smsp__inst_executed_op_global_red.sum"), globalAtomic(false)},
	{counter.Must("smsp__inst_executed_op_shared_ld.sum"), access(ir.ActLoad, ir.Shared)},
	{counter.Must("smsp__inst_executed_op_shared_st.sum"), access(ir.ActStore, ir.Shared)},
	{counter.Must("smsp__inst_executed_op_shared_atom.sum"), access(ir.ActAtomic, ir.Shared)},
	{counter.Must("smsp__inst_executed_op_local_ld.sum"), access(ir.ActLoad, ir.Local)},
	{counter.Must("smsp__inst_executed_op_local_st.sum"), access(ir.ActStore, ir.Local)},
	{counter.Must("smsp__inst_executed_op_branch.sum"), func(_ *ir.Inst, s *step, t *tally, _ ir.Space) uint64 {
		if s.act == ir.ActBranch || s.act == ir.ActJump {
			return t.warps
		}
		return 0
	}},
}

func access(act ir.Action, space ir.Space) func(*ir.Inst, *step, *tally, ir.Space) uint64 {
	return func(_ *ir.Inst, s *step, t *tally, in ir.Space) uint64 {
		if s.act == act && in == space {
			return t.warps
		}
		return 0
	}
}

func globalAtomic(result bool) func(*ir.Inst, *step, *tally, ir.Space) uint64 {
	all := access(ir.ActAtomic, ir.Global)
	return func(in *ir.Inst, s *step, t *tally, space ir.Space) uint64 {
		if in.NDst > 0 != result {
			return 0
		}
		return all(in, s, t, space)
	}
}

// report returns the report of a launch and adds it to the total.
func (d *Device) report(r *run) *device.Report {
	out := &device.Report{Launches: 1, Counters: make([]device.Counter, len(counters))}
	for i, c := range counters {
		var sum uint64
		for pc := range r.tally {
			if t := &r.tally[pc]; t.warps > 0 {
				in := &r.c.prog.Code[pc]
				sum += c.value(in, &r.c.steps[pc], t, spaceOf(r.c.prog, in))
			}
		}
		out.Counters[i] = device.Counter{Name: c.Name, Unit: c.Unit, Desc: c.Desc, Value: float64(sum)}
		d.counts[c.Name] += float64(sum)
	}
	d.total.Launches++
	return out
}

func spaceOf(p *ir.Program, in *ir.Inst) ir.Space {
	if in.Root >= 0 && in.Op.Addressed() {
		return p.Roots[in.Root].Space
	}
	return in.Mem.Space
}

// Total implements device.Device. Besides the sums over all launches it
// contains the number of copied bytes.
func (d *Device) Total() *device.Report {
	out := &device.Report{Launches: d.total.Launches}
	for _, c := range counters {
		out.Counters = append(out.Counters, device.Counter{Name: c.Name, Unit: c.Unit, Desc: c.Desc, Value: d.counts[c.Name]})
	}
	out.Counters = append(out.Counters, counter.Copied(d.mem.Copied.ToDevice, d.mem.Copied.ToHost)...)
	return out
}
