package sweep

// workload is what a rough forecast of the time on the host goes by.
type workload struct {
	arcs   uint64
	sms    float64 // of one simulated GPU; 0 on func
	gpus   int
	source bool // the algorithm starts at one vertex, so that most arcs are processed a few times in all
}

// Seconds on one core, rounded from the geometric means of runs of 3 traversals and 6 other algorithms on rmat and grid graphs of
// 10^4 to 10^6 arcs, by warp on one GPU and by multi on groups; TestRough has 15 of these runs. A run may take a tenth or ten times
// as long: with the processor, the diameter, the scheduler and how soon values converge.
const (
	perRun = 0.03
	// perGPU is for the iterations of a group, in which its GPUs wait for each other.
	perGPU = 0.15
	// perArcSource is for an algorithm with a source, perArcOthers for one that processes all arcs again and again.
	perArcSource, perArcOthers         = 2.5e-6, 1.7e-5
	perArcSourceFunc, perArcOthersFunc = 2e-7, 3e-6
	// An H200 of 132 SMs takes 3 times as long as a machine of few SMs for the same work: it has 66 times the warps, caches
	// and queues to look at.
	smsPerArc = 66
	perLaunch = 0.1 // of a kernel, whose work is unknown
)

// rough returns the time of a run on the host, in seconds, to the order of magnitude.
func rough(w workload) float64 {
	perArc := perArcOthers
	if w.source {
		perArc = perArcSource
	}
	if w.sms == 0 {
		if perArc = perArcOthersFunc; w.source {
			perArc = perArcSourceFunc
		}
	}
	seconds := perRun + perArc*(1+w.sms/smsPerArc)*float64(w.arcs)
	if w.gpus > 1 {
		seconds += perGPU * float64(w.gpus)
	}
	return seconds
}

// workload returns what the forecast of a run of an algorithm goes by.
func (t *Task) workload() workload {
	_, arcs := t.size()
	w := workload{arcs: arcs, gpus: t.device.GPUs, source: t.source}
	w.sms, _ = t.device.Number("sm.count") // of simulated machines alone
	return w
}
