package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/stats"
)

// report is the difference of two snapshots of the counters.
func report(cfg *config.GPU, now, before *counters) *device.Report {
	values := values(cfg, now, before)
	r := &device.Report{
		Launches: int(now.launches - before.launches),
		Cycles:   now.cycles - before.cycles,
		Seconds:  now.seconds - before.seconds,
	}
	for _, c := range stats.All() {
		r.Counters = append(r.Counters, device.Counter{Name: c.Name, Unit: c.Unit, Desc: c.Desc, Value: values[c.Name]})
	}
	return r
}

// values gives every counter of package stats a value; a test holds that none
// is missing.
func values(cfg *config.GPU, c, b *counters) map[string]float64 {
	d := func(now, before uint64) float64 { return float64(now - before) }
	ratio := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	insts := d(c.insts, b.insts)
	issued := insts - d(c.dual, b.dual) // cycles
	threads := d(c.threadInsts, b.threadInsts)
	// Sectors by step of the atomic units: L1 passes atomics on as they are.
	atoms, reds := d(c.l2.fromSM[packAtomic], b.l2.fromSM[packAtomic]), d(c.l2.fromSM[packRed], b.l2.fromSM[packRed])
	active, subActive := d(c.smActive, b.smActive), d(c.subActive, b.subActive)
	hit, miss := d(c.l2.hits, b.l2.hits), d(c.l2.misses, b.l2.misses)
	rowHit, rowMiss := d(c.rowHits, b.rowHits), d(c.rowMisses, b.rowMisses)
	v := map[string]float64{
		"launch__count.sum":                                                    d(c.launches, b.launches),
		"smsp__warps_launched.sum":                                             d(c.warpsLaunched, b.warpsLaunched),
		"gpu__time_duration.sum":                                               d(c.nanoseconds, b.nanoseconds),
		"sm__cycles_elapsed.max":                                               d(c.elapsed, b.elapsed),
		"sm__cycles_active.sum":                                                active,
		"sm__cycles_active.avg":                                                active / float64(cfg.SM.Count),
		"sm__warps_active.avg.pct_of_peak_sustained_active":                    100 * ratio(d(c.warpCycles, b.warpCycles), active*float64(cfg.SM.Warps)),
		"sm__ctas_launched.sum":                                                d(c.blocks, b.blocks),
		"smsp__inst_executed.sum":                                              insts,
		"smsp__inst_executed.avg.per_cycle_active":                             ratio(insts, subActive),
		"smsp__cycles_active.sum":                                              subActive,
		"smsp__cycles_active.avg":                                              subActive / float64(cfg.SM.Count*cfg.SM.SubCores),
		"smsp__thread_inst_executed.sum":                                       threads,
		"smsp__thread_inst_executed_pred_on.sum":                               d(c.predOn, b.predOn),
		"smsp__thread_inst_executed_per_inst_executed.ratio":                   ratio(threads, insts),
		"smsp__average_warp_latency_per_inst_issued.ratio":                     ratio(d(c.warpCycles, b.warpCycles), insts),
		"smsp__issue_active.sum":                                               issued,
		"smsp__sass_branch_targets.sum":                                        d(c.branches, b.branches),
		"smsp__sass_branch_targets_threads_divergent.sum":                      d(c.divergent, b.divergent),
		"smsp__inst_executed_op_global_ld.sum":                                 d(c.ld.insts+c.idle[0], b.ld.insts+b.idle[0]),
		"smsp__inst_executed_op_global_st.sum":                                 d(c.st.insts+c.idle[1], b.st.insts+b.idle[1]),
		"smsp__inst_executed_op_global_atom.sum":                               d(c.atom.insts+c.idle[2], b.atom.insts+b.idle[2]),
		"smsp__inst_executed_op_global_red.sum":                                d(c.red.insts+c.idle[3], b.red.insts+b.idle[3]),
		"smsp__inst_executed_op_shared.sum":                                    d(c.sharedAccesses, b.sharedAccesses),
		"smsp__inst_executed_op_shared_ld.sum":                                 d(c.sharedLoads, b.sharedLoads),
		"smsp__inst_executed_op_shared_st.sum":                                 d(c.sharedStores, b.sharedStores),
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum":            d(c.l1GlobalHits+c.l1GlobalJoined, b.l1GlobalHits+b.l1GlobalJoined),
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum":           d(c.bankConflicts-c.conflictsLoad-c.conflictsStore, b.bankConflicts-b.conflictsLoad-b.conflictsStore),
		"lts__d_atomic_input_cycles_active.sum":                                d(uint64(c.atomicBusy), uint64(b.atomicBusy)) / ticksPerCycle,
		"smsp__inst_executed_op_shared_atom.sum":                               d(c.sharedAtomics, b.sharedAtomics),
		"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum":                      d(c.ld.insts, b.ld.insts),
		"l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum":                  d(c.ld.lines, b.ld.lines),
		"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum":                      d(c.st.insts, b.st.insts),
		"l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum":                  d(c.st.lines, b.st.lines),
		"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum":                    d(c.atom.insts, b.atom.insts),
		"l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum":                d(c.atom.lines, b.atom.lines),
		"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum":                     d(c.red.insts, b.red.insts),
		"l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum":                 d(c.red.lines, b.red.lines),
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum":                       d(c.ld.sectors, b.ld.sectors),
		"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum":                       d(c.st.sectors, b.st.sectors),
		"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum":                     atoms,
		"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum":                      reds,
		"l1tex__t_sectors_pipe_lsu_mem_local.sum":                              d(c.local.sectors, b.local.sectors),
		"l1tex__t_sectors_pipe_lsu_lookup_hit.sum":                             d(c.l1Hits+c.l1Joined, b.l1Hits+b.l1Joined),
		"l1tex__t_sectors_pipe_lsu_lookup_pending.sum":                         d(c.l1Joined, b.l1Joined),
		"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": ratio(d(c.ld.sectors, b.ld.sectors), d(c.ld.insts, b.ld.insts)),
		"l1tex__m_l1tex2xbar_packets.sum":                                      d(c.packets, b.packets),
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum":                   d(c.bankConflicts, b.bankConflicts),
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum":             d(c.conflictsLoad, b.conflictsLoad),
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum":             d(c.conflictsStore, b.conflictsStore),
		"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum":                       d(c.sharedWays+c.sharedAtomWays, b.sharedWays+b.sharedAtomWays),
		"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum":               d(c.sharedAtomWays, b.sharedAtomWays),
		"smsp__barriers.sum":                                                   d(c.barriers, b.barriers),
		"lts__t_sectors_op_read.sum":                                           d(c.l2.read, b.l2.read),
		"lts__t_sectors_op_write.sum":                                          d(c.l2.write, b.l2.write),
		"lts__t_sectors_op_atom.sum":                                           d(c.l2.atom, b.l2.atom),
		"lts__t_sectors_op_red.sum":                                            d(c.l2.red, b.l2.red),
		"lts__t_sectors_srcunit_tex_op_read.sum":                               d(c.l2.fromSM[packLoad], b.l2.fromSM[packLoad]),
		"lts__t_sectors_srcunit_tex_op_write.sum":                              d(c.l2.fromSM[packStore], b.l2.fromSM[packStore]),
		"lts__t_sectors_srcunit_tex_op_atom.sum":                               atoms,
		"lts__t_sectors_srcunit_tex_op_red.sum":                                reds,
		"lts__t_sectors_lookup_hit.sum":                                        hit,
		"lts__t_sectors_lookup_miss.sum":                                       miss,
		"lts__t_sector_hit_rate.pct":                                           100 * ratio(hit, hit+miss),
		"lts__atomic_steps.sum":                                                atoms + reds,
		"dram__bytes_read.sum":                                                 d(c.dramRead, b.dramRead),
		"dram__bytes_write.sum":                                                d(c.dramWritten, b.dramWritten),
		"dram__row_hit_rate.pct":                                               100 * ratio(rowHit, rowHit+rowMiss),
	}
	for i, s := range stats.Stalls {
		v[stats.StallName(s.Name)] = ratio(d(c.stalled[i], b.stalled[i]), issued)
	}
	return v
}
