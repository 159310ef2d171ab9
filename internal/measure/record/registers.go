package record

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
)

// registers asks the driver what the kernels of each scheme need, for every algorithm and with the values that are bound
// at compile time.
func (p *Plan) registers(ctx context.Context, dev device.Device) (bad int, err error) {
	c, err := catalog.Kernels()
	if err != nil {
		return 0, err
	}
	list := []results.Needs{}
	asked := map[string]bool{}
	for _, e := range catalog.Entries() {
		for _, k := range e.Kernels {
			key := fmt.Sprint(e.Scheduler.Name, k.Name, k.Bind)
			if asked[key] {
				continue
			}
			asked[key] = true
			if ctx.Err() != nil {
				return bad, ctx.Err()
			}
			compiled, err := c.Kernel(ctx, k.Name, k.Bind)
			if err != nil {
				return bad, err
			}
			info, err := p.Inspect(dev, compiled)
			if err != nil {
				p.logf("kernel %s: %v", k.Name, err)
				bad++
				continue
			}
			list = append(list, results.Needs{Scheduler: e.Scheduler.Name, Kernel: k.Name, Bind: k.Bind,
				Registers: info.Registers, Shared: info.Shared, Local: info.Local, MaxBlock: info.MaxBlock})
		}
	}
	p.logf("registers: %d kernels", len(list))
	return bad, p.write("registers.json", list)
}
