package cuda

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
)

// KernelTime is how long the launches of a kernel took that have one shape.
type KernelTime struct {
	Kernel   string  `json:"kernel"`
	Grid     [3]int  `json:"grid"`  // blocks along x, y, z
	Block    [3]int  `json:"block"` // threads per block along x, y, z
	Shared   int     `json:"dynamic_shared_bytes,omitempty"`
	Launches int     `json:"launches"`
	Seconds  float64 `json:"seconds"` // on the device, of all of them
	Cycles   uint64  `json:"cycles,omitempty"`
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
	seconds := r.Seconds
	if ns, ok := r.Counter(counter.Duration); ok {
		seconds = ns * 1e-9
	}
	t := &p.times[i]
	t.Launches += r.Launches
	t.Seconds += seconds
	t.Cycles += r.Cycles
}
