//go:build !kernel

package scheduler

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
)

// TaskRingArg is a TaskRing as a launch argument.
type TaskRingArg struct{ Slots, Head, Tail, Finished, Done, Voids device.Buffer }

// TaskQueueArg is a TaskQueue as a launch argument.
type TaskQueueArg struct {
	TaskRingArg
	Tasks device.Buffer
}

// The worker sizes by name.
const (
	ThreadWorker = "thread"
	WarpWorker   = "warp"
	BlockWorker  = "block"
)

// TaskLayout is how a launch divides its threads into workers.
type TaskLayout struct {
	Worker string // ThreadWorker, WarpWorker or BlockWorker
	Block  int    // threads per block
	Shape  TaskShape
	Shared int // bytes of dynamic shared memory per block
}

// NewTaskLayout returns the layout of workers that take up to fetch tasks of some bytes at a time, or if that is 0, one per thread.
// arrays and wide are those of OpenWorker.
func NewTaskLayout(worker string, block, fetch, sleep, bytes, arrays int, wide bool) (TaskLayout, error) {
	l := TaskLayout{Worker: worker, Block: block, Shape: TaskShape{Fetch: uint32(fetch), Sleep: uint32(sleep)}}
	threads := l.Threads()
	if fetch > threads {
		return l, fmt.Errorf("%d tasks for a worker of %d threads (worker=%s); a thread takes one at a time", fetch, threads, worker)
	}
	if fetch == 0 {
		l.Shape.Fetch = uint32(threads)
	}
	workers := block / threads
	batch := workers * int(l.Shape.Fetch)
	if l.Shared = batch*8*arrays + workers*16; wide {
		l.Shared = (l.Shared+batch*8+15)&^15 + (batch+TaskRoom*block)*bytes
	} else {
		l.Shared += batch*3*4 + 2*TaskRoom*block*4
	}
	return l, nil
}

// Threads returns the number of threads of a worker.
func (l TaskLayout) Threads() int {
	switch l.Worker {
	case ThreadWorker:
		return 1
	case WarpWorker:
		return gpu.WarpSize
	}
	return l.Block
}

// Mapping returns the name of the Mapping whose team is a worker, as kernels have it.
func (l TaskLayout) Mapping() string {
	return map[string]string{ThreadWorker: "scheduler.ThreadPerVertex", WarpWorker: "scheduler.WarpPerVertex", BlockWorker: "scheduler.BlockPerVertex"}[l.Worker]
}

// PerBlock returns the number of tasks that the workers of a block take at once.
func (l TaskLayout) PerBlock() int { return l.Block / l.Threads() * int(l.Shape.Fetch) }

// Blocks returns the number of blocks of a kernel that are resident at the same time.
func (l TaskLayout) Blocks(d device.Device, k *device.Kernel) (int, error) {
	occ, err := d.Occupancy(k, l.Block)
	if err != nil {
		return 0, err
	}
	perSM := occ.BlocksPerSM
	if l.Shared > occ.SharedFree {
		perSM = perSM * (occ.Shared + occ.SharedFree) / (occ.Shared + l.Shared)
	}
	return max(perSM, 1) * occ.SMs, nil
}

// FirstTask returns the slot of a TaskQueue with a task at a position, for the host that puts the first tasks into an empty queue.
func FirstTask(position int) uint64 { return uint64(position)<<32 | taskReady }
