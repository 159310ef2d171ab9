package compile

import (
	"reflect"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// special returns a special value of a thread, by the launch's dimensions.
func (t *ithread) special(s ir.Special) int {
	b, g := t.m.shape.Block, t.m.shape.Grid
	return map[ir.Special]int{
		ir.TID: t.tid % b[0], ir.TIDY: t.tid / b[0] % b[1], ir.TIDZ: t.tid / (b[0] * b[1]),
		ir.CTAID: t.ctaid % g[0], ir.CTAIDY: t.ctaid / g[0] % g[1], ir.CTAIDZ: t.ctaid / (g[0] * g[1]),
		ir.NTID: b[0], ir.NTIDY: b[1], ir.NTIDZ: b[2], ir.NCTAID: g[0], ir.NCTAIDY: g[1], ir.NCTAIDZ: g[2], ir.LaneID: t.tid % 32, ir.DynamicBytes: t.m.dynamic,
	}[s]
}

// flattenAll appends the leaves of all arguments, followed by the tables of
// constants.
func (m *interp) flattenAll(args []any) {
	for _, a := range args {
		m.flattenArg(reflect.ValueOf(a))
	}
	for _, l := range m.f.Leaves {
		if l.Table != nil {
			id := uint64(len(m.global) + 1)
			m.global[id] = l.Table.Data
			m.leaves = append(m.leaves, id<<40)
		}
	}
}
