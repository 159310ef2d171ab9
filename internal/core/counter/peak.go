package counter

// Names of the shares of peak, and of what they and rooflines are computed from.
const (
	Elapsed      = "sm__cycles_elapsed.max"
	ActiveCycles = "sm__cycles_active.avg"
	UsedCycles   = "sm__cycles_used.sum"
	SubActive    = "smsp__cycles_active.avg"
	WarpsActive  = "sm__warps_active.avg.pct_of_peak_sustained_active"
	WarpLatency  = "smsp__average_warp_latency_per_inst_issued.ratio"
	Duration     = "gpu__time_duration.sum"

	L1Loads     = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
	L1Stores    = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
	L2Reads     = "lts__t_sectors_srcunit_tex_op_read.sum"
	L2Writes    = "lts__t_sectors_srcunit_tex_op_write.sum"
	L2Atomics   = "lts__t_sectors_srcunit_tex_op_atom.sum"
	L2Reds      = "lts__t_sectors_srcunit_tex_op_red.sum"
	DRAMRead    = "dram__bytes_read.sum"
	DRAMWritten = "dram__bytes_write.sum"

	IssuePeak        = "smsp__issue_active.avg" + ofPeak
	ALUPeak          = "sm__inst_executed_pipe_alu.avg" + ofPeak
	IMADPeak         = "sm__inst_executed_pipe_imad.avg" + ofPeak
	FP32Peak         = "sm__inst_executed_pipe_fma.avg" + ofPeak
	FP64Peak         = "sm__inst_executed_pipe_fp64.avg" + ofPeak
	SFUPeak          = "sm__inst_executed_pipe_xu.avg" + ofPeak
	VotePeak         = "sm__inst_executed_pipe_vote.avg" + ofPeak
	ShufflePeak      = "sm__inst_executed_pipe_shuffle.avg" + ofPeak
	SpecialPeak      = "sm__inst_executed_pipe_special.avg" + ofPeak
	SharedAtomicPeak = "sm__inst_executed_pipe_shared_atom.avg" + ofPeak
	L1Peak           = "l1tex__t_set_accesses.avg" + ofPeak
	SharedPeak       = "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg" + ofPeak
	SendPeak         = "l1tex__m_l1tex2xbar_req_cycles_active.avg" + ofPeak
	RecvPeak         = "l1tex__m_xbar2l1tex_read_sectors.avg" + ofPeak
	L2Peak           = "lts__t_sectors.avg" + ofPeak
	L2SlicePeak      = "lts__t_sectors.max" + ofPeak
	AtomicsPeak      = "lts__d_atomic_input_cycles_active.avg" + ofPeak
	AtomicUnitPeak   = "lts__d_atomic_input_cycles_active.max" + ofPeak
	DRAMPeak         = "dram__throughput.avg" + ofPeak

	ofPeak = ".pct_of_peak_sustained_elapsed"
)

// Reasons why shares of peak are not comparable with those of a GPU.
const (
	ownPipes = "the pipes are divided differently: integer multiplies have their own pipe here, and use the FMA pipe on a GPU"
	ownPeak  = "the peak is the rate of the simulated unit, as given by the machine's parameters"
)

// share returns the percentage of the time of the kernels for which n parts were busy. Reservations made at a kernel's
// end may extend beyond it.
func (c *Counted) share(cycles float64, n int) float64 {
	return min(100, 100*ratio(cycles, float64(c.Elapsed)*float64(n)))
}

func (c *Counted) ticks(n uint64, parts int) float64 {
	return c.share(float64(n)/TicksPerCycle, parts)
}

// pipe returns the row of a pipe of the sub-cores.
func pipe(name string, p int, what string) Counter {
	return Counter{Name: name, Unit: "%", Desc: "time for which the sub-cores' pipe is busy: " + what, Weight: Elapsed,
		Value: func(c *Counted) float64 { return c.share(float64(c.Busy.Pipes[p]), c.SMs*c.SubCores) }}
}

// own marks the row as one that Nsight Compute does not have.
func (r Counter) own() Counter {
	r.Own = true
	return r
}

// apart sets the reason why the row is not comparable.
func (r Counter) apart(why string) Counter {
	r.Apart = why
	return r
}

// peaks are the rows for how close to its peak each part of the machine was: percentages of the cycles of the kernels
// (sm__cycles_elapsed.max), not including the time between launches.
var peaks = []Counter{
	{Name: IssuePeak, Unit: "%", Desc: "used issue slots of the sub-cores", Weight: Elapsed,
		Value: func(c *Counted) float64 { return c.share(float64(c.issued()), c.SMs*c.SubCores) }},
	pipe(ALUPeak, PipeALU, "32-bit integer add, logic, compare, select, move").apart(ownPipes),
	pipe(IMADPeak, PipeIMAD, "integer multiply, multiply-add, address arithmetic").own(),
	pipe(FP32Peak, PipeFP32, "single-precision add, multiply, fused multiply-add").apart(ownPipes),
	pipe(FP64Peak, PipeFP64, "double-precision add, multiply, fused multiply-add"),
	pipe(SFUPeak, PipeSFU, "special functions, divisions, conversions to integers").apart(ownPipes),
	pipe(VotePeak, PipeVote, "votes, warp barriers, match").own(),
	pipe(ShufflePeak, PipeShuffle, "shuffles").own(),
	pipe(SpecialPeak, PipeSpecial, "reads of special registers and clocks").own(),
	pipe(SharedAtomicPeak, PipeAtomic, "atomics on shared memory").own(),
	{Name: L1Peak, Unit: "%", Desc: "time for which the SMs' load-store units are busy with lines of global and local memory", Weight: Elapsed, Apart: ownPeak,
		Value: func(c *Counted) float64 { return c.ticks(c.Busy.LSU, c.SMs) }},
	{Name: SharedPeak, Unit: "%", Desc: "time for which the SMs' shared memories are busy", Weight: Elapsed, Apart: includesShuffles,
		Value: func(c *Counted) float64 { return c.ticks(c.Busy.Shared, c.SMs) }},
	{Name: SendPeak, Unit: "%", Desc: "time for which the SMs' ports to the crossbar are busy", Weight: Elapsed, Apart: ownPeak,
		Value: func(c *Counted) float64 { return c.ticks(c.Busy.Send, c.SMs) }},
	{Name: RecvPeak, Unit: "%", Desc: "time for which the SMs' ports from the crossbar are busy", Weight: Elapsed, Apart: ownPeak,
		Value: func(c *Counted) float64 { return c.ticks(c.Busy.Recv, c.SMs) }},
	{Name: L2Peak, Unit: "%", Desc: "time for which the ports of the L2 slices are busy, on average", Weight: Elapsed, Apart: ownPeak,
		Value: func(c *Counted) float64 { return c.ticks(c.Busy.L2, c.Slices) }},
	{Name: L2SlicePeak, Unit: "%", Desc: "time for which the port of the busiest L2 slice is busy", Weight: Elapsed, Apart: ownPeak,
		Value: func(c *Counted) float64 { return c.ticks(c.Busy.L2Most, 1) }},
	{Name: AtomicsPeak, Unit: "%", Desc: "time for which the atomic units of the L2 slices are busy, on average", Weight: Elapsed,
		Value: func(c *Counted) float64 { return c.ticks(c.AtomicTicks, c.Slices) }},
	{Name: AtomicUnitPeak, Unit: "%", Desc: "time for which the busiest atomic unit of the L2 is busy, including loads that wait their turn there", Weight: Elapsed,
		Value: func(c *Counted) float64 { return c.ticks(c.Busy.AtomicsMost, 1) }},
	{Name: DRAMPeak, Unit: "%", Desc: "bytes read from and written to DRAM, as a share of the peak bandwidth (dram.bandwidth)", Weight: Elapsed, Apart: cachedAtProfiling,
		Value: func(c *Counted) float64 { return c.share(float64(c.DRAMRead+c.DRAMWritten)/max(c.DRAMPeak, 1e-9), 1) }},
}
