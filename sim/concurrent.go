package sim

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
)

var _ device.Concurrent = (*Device)(nil)

// LaunchAll runs several launches at the same time; see device.Concurrent. Blocks of earlier launches are placed
// first; those of later launches take the remaining resources. The report of each launch has its cycles (from the
// placement of its first block until its last block has ended), its blocks and its instructions; the combined effect
// of the launches on caches and memory is in Total. An error ends all launches.
func (d *Device) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	if len(ls) == 0 {
		return nil, nil
	}
	defer d.mem.Begin().End()
	ctx = d.mem.During(ctx)
	if d.sampling != nil {
		d.sampling.facts.Whole += len(ls)
	}
	var jobs []job
	for i, launch := range ls {
		job, err := d.prepare(launch)
		if err != nil {
			return nil, fmt.Errorf("launch %d of %d: %w", i+1, len(ls), err)
		}
		if launch.Cooperative && len(ls) > 1 {
			return nil, &device.ArgError{Kernel: launch.Kernel.Name, What: "a cooperative launch concurrent with others"}
		}
		jobs = append(jobs, job)
	}
	all, err := d.execute(ctx, jobs...)
	if d.group == nil {
		d.synchronise(d.cfg)
	}
	if len(ls) == 1 || all == nil {
		return []*device.Report{all}, err
	}
	var reports []*device.Report
	for _, job := range d.m.run.jobs {
		reports = append(reports, d.jobReport(job))
	}
	return reports, err
}

// jobReport returns the report of one of several launches.
func (d *Device) jobReport(job *job) *device.Report {
	report := &device.Report{Launches: 1}
	if job.end > 0 {
		report.Cycles = job.end - job.start
		report.Seconds = float64(report.Cycles)/(d.cfg.Clock.SM*1e6) + d.cfg.Launch.Kernel*1e-6
	}
	mine := map[string]float64{
		"launch__count.sum":        1,
		"sm__ctas_launched.sum":    float64(job.next),
		"smsp__warps_launched.sum": float64(job.next * job.grid.Warps),
		"smsp__inst_executed.sum":  float64(job.insts),
	}
	for _, c := range d.Total().Counters {
		if v, ok := mine[c.Name]; ok {
			c.Value = v
			report.Counters = append(report.Counters, c)
		}
	}
	return report
}
