package race

import "github.com/weft-gpu/weft/device"

// rule says what orders two accesses like those of a race, or makes them strong, by the memory model. What of it helps in
// a program is found by package cure, which tries it out.
func rule(job, other *job, race *device.Race, distance int) string {
	switch {
	case job.grid == nil || other.grid == nil:
		return "let one command wait for the other, by Command.After or by the same stream of the same GPU"
	case race.Kind == device.RaceWidth:
		return "access the word with one width in all threads; accesses of different widths are not atomic to each other"
	case race.Kind == device.RaceScope && other.grid.Kernel.Source != nil:
		return scopeOfCUDA(distance)
	case race.Kind == device.RaceScope && distance == 3:
		return "gpu.SystemScope in both accesses: the threads belong to different GPUs"
	case race.Kind == device.RaceScope:
		return "gpu.DeviceScope in both accesses: the threads belong to different blocks"
	}
	if race.First.What == productName || race.Second.What == productName {
		return productRule(race, other.grid.Kernel.Source != nil)
	}
	if isSendName(race.First.What) || isSendName(race.Second.What) {
		return sendRule(race, other.grid.Kernel.Source != nil, distance)
	}
	if isBulkName(race.First.What) || isBulkName(race.Second.What) {
		return bulkRule(race, other.grid.Kernel.Source != nil, distance)
	}
	if race.First.What == copyName || race.Second.What == copyName {
		return copyRule(race, other.grid.Kernel.Source != nil, distance)
	}
	if other.grid.Kernel.Source != nil {
		return ruleOfCUDA(race, distance)
	}
	text := ""
	switch near(race, distance) {
	case 0:
		text = "t.SyncWarp between the accesses, which both lanes reach"
	case 1:
		text = "t.Sync between the accesses, which all threads of the block reach"
	case ofCluster:
		text = "t.SyncCluster between the accesses, which all threads of the cluster reach"
	case 2:
		text = "a flag that is set by gpu.StoreRelease after the first access and that gpu.LoadAcquire has read before the second, one lock for both, or two launches"
	default:
		text = "a flag that is set by gpu.StoreRelease after the first access and that gpu.LoadAcquire has read before the second, both with gpu.SystemScope"
	}
	if race.Kind == device.RaceAtomic {
		text += "; or gpu.Load, gpu.Store or an atomic in place of the plain access"
	}
	if job != other && job.cmd != nil {
		text += "; or one command that waits for the other, by Command.After"
	}
	return text
}

// ofCluster is the distance of threads of different blocks that race for shared memory: those of a cluster.
const ofCluster = -1

// near returns the distance of the threads of a race, or ofCluster.
func near(race *device.Race, distance int) int {
	if distance == 2 && race.Space == "shared" {
		return ofCluster
	}
	return distance
}

// scopeOfCUDA is the rule for accesses of a kernel in CUDA whose scope is too narrow.
func scopeOfCUDA(distance int) string {
	if distance == 3 {
		return "cuda::thread_scope_system (or atomicAdd_system, __threadfence_system) for both accesses: the threads belong to different GPUs"
	}
	return "cuda::thread_scope_device (or atomicAdd, __threadfence) for both accesses: the threads belong to different blocks"
}

// ruleOfCUDA is rule for a kernel that was read from PTX, in the words of CUDA.
func ruleOfCUDA(race *device.Race, distance int) string {
	text := "a flag (cuda::atomic) that is stored with memory_order_release after the first access and that a load with memory_order_acquire has read before the second, one lock for both, or two launches"
	switch near(race, distance) {
	case 0:
		text = "__syncwarp between the accesses, which both lanes reach"
	case 1:
		text = "__syncthreads between the accesses, which all threads of the block reach"
	case ofCluster:
		text = "cluster.sync() (cooperative_groups::this_cluster()) between the accesses, which all threads of the cluster reach"
	}
	if race.Kind == device.RaceAtomic {
		text += "; or an atomic in place of the plain access"
	}
	return text
}
