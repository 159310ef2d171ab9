package sim

import (
	"slices"
	"time"
)

// running is the work on the machine: one launch, which is the embedded job, or several concurrent ones.
type running struct {
	job
	jobs     []*job    // in launch order; the first is the embedded one until it is taken out
	count    int       // jobs so far
	left     int       // jobs that have not ended
	start    uint64    // cycle
	since    time.Time // when it began, on this computer
	recurs   bool      // its state has been shown to recur
	shares   bool      // another GPU has changed its memory, or it has used that of another GPU
	finished bool      // a launch has ended since the group looked
	over     bool
	err      error
	// localStride is the size of a warp's local memory in bytes.
	localStride uint64
}

// begin puts launches on the idle machine.
func (m *machine) begin(jobs ...job) {
	cfg := m.cfg
	// In a group, messages of other GPUs may be on their way.
	if m.links.group == nil {
		m.wheel.Reset()
	}
	run := &running{since: time.Now(), job: jobs[0], count: len(jobs), left: len(jobs), start: m.now}
	m.run, m.search, m.livelock, m.memory = run, search{}, nil, nil
	m.dispatcher.begin()
	m.diagnosis.begin()
	if h := m.hooks; h != nil {
		h.begin()
	}
	run.jobs = append(run.jobs, &run.job)
	for i := range jobs[1:] {
		run.jobs = append(run.jobs, &jobs[i+1])
	}
	slots, blocks, carve := 0, 0, 0
	for _, job := range run.jobs {
		job.size(&cfg.SM)
		job.put = m.now
		slots, blocks = slots+job.occ.BlocksPerSM, blocks+job.reach(len(m.sms))
		// The array of shared memory and L1 is divided once for all launches, by the one that needs most shared memory.
		carve = max(carve, job.carveOut(cfg))
		run.localStride = max(run.localStride, localStride(job.grid))
	}
	for i := range m.sms {
		// Also an L1 that has no block this time: its lines are those of an earlier launch.
		if s := &m.sms[i]; s.l1.Sets() > 0 {
			s.l1.configure(&cfg.L1, carve)
		}
	}
	for _, i := range m.dispatcher.roomFor(blocks, slots) {
		if s := &m.sms[i]; s.l1.Sets() == 0 {
			s.l1.configure(&cfg.L1, carve)
		}
	}
	if windowed := m.windowed(jobs); windowed || m.windows != nil {
		m.windows.begin(m, windowed)
	}
	m.progress()
	m.dispatcher.call(m.now + 1)
}

// admit adds a launch to those on the machine; its blocks are placed from a cycle on. It does not see older bytes in any
// L1, whose size stays as it is while blocks of others are resident.
func (m *machine) admit(add *job, cycle uint64) {
	run, limits := m.run, &m.cfg.SM
	for i := range m.sms {
		m.sms[i].l1.forget()
	}
	add.size(limits)
	add.put = m.now
	run.count++
	run.left++
	run.jobs = append(run.jobs, add)
	slots, blocks := 0, 0
	for _, j := range run.jobs {
		slots, blocks = slots+j.occ.BlocksPerSM, blocks+j.reach(len(m.sms))
	}
	for _, i := range m.dispatcher.roomFor(blocks, slots) {
		if s := &m.sms[i]; s.l1.Sets() == 0 {
			s.l1.configure(&m.cfg.L1, add.carveOut(m.cfg))
		}
	}
	run.localStride = max(run.localStride, localStride(add.grid))
	m.progress()
	m.dispatcher.call(cycle)
}

// unfinished returns the first launch that has not ended, or the first one if all have.
func (r *running) unfinished() *job {
	for _, j := range r.jobs {
		if j.done < j.grid.Blocks {
			return j
		}
	}
	return &r.job
}

// remove takes a launch that has ended from the list of those on the machine.
func (r *running) remove(j *job) {
	r.jobs = slices.DeleteFunc(r.jobs, func(other *job) bool { return other == j })
}

// waiting reports whether a job that may start has blocks that have not been placed.
func (r *running) waiting() bool {
	for _, j := range r.jobs {
		if j.next < j.grid.Blocks && r.mayStart(j) {
			return true
		}
	}
	return false
}

// mayStart reports whether the earlier jobs of the job's stream have ended.
func (r *running) mayStart(job *job) bool {
	for _, earlier := range r.jobs {
		if earlier == job {
			break
		}
		if earlier.stream == job.stream && earlier.done < earlier.grid.Blocks {
			return false
		}
	}
	return true
}
