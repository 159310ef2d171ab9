package cuda

import (
	"github.com/weft-gpu/weft/device"
)

// KernelTime is how long the launches of a kernel took that have one shape.
type KernelTime struct {
	Kernel   string `json:"kernel"`
	Grid     [3]int `json:"grid"`  // blocks along x, y, z
	Block    [3]int `json:"block"` // threads per block along x, y, z
	Shared   int    `json:"dynamic_shared_bytes,omitempty"`
	Launches int    `json:"launches"`
	// Seconds is what events around each launch measure, of all of them: on a simulated device as on a real one, which has nothing else. The
	// time in which blocks ran is that of Cycles.
	Seconds float64 `json:"seconds"`
	Cycles  uint64  `json:"cycles,omitempty"`
}

// shapeKey identifies a KernelTime.
type shapeKey struct {
	kernel      string
	grid, block [3]int
	shared      int
}

// note counts a launch that has ended.
func (p *Program) note(kernel string, l *device.Launch, r *device.Report) {
	if r == nil || r.Launches == 0 {
		return
	}
	shape := l.Shape()
	key := shapeKey{kernel, shape.Grid, shape.Block, l.DynamicShared}
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := p.timeOf[key]
	if !ok {
		if p.timeOf == nil {
			p.timeOf = map[shapeKey]int{}
		}
		i = len(p.times)
		p.timeOf[key] = i
		p.times = append(p.times, KernelTime{Kernel: kernel, Grid: shape.Grid, Block: shape.Block, Shared: l.DynamicShared})
	}
	t := &p.times[i]
	t.Launches += r.Launches
	t.Seconds += r.Seconds
	t.Cycles += r.Cycles
}
