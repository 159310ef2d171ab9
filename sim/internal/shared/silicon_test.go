package shared_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/internal/shared"
)

// row is an access of a warp of an H200 with what Nsight Compute counted.
type row struct {
	Op         string
	Bytes      int
	Pattern    string
	Offsets    [shared.Lanes]int // -1 for lanes without an access
	Accesses   int
	Wavefronts int
	Conflicts  int
	OneWarp    float64 `json:"cycles_one_warp"`
	Warps32    float64 `json:"cycles_32_warps"`
}

// kindOf returns the kind of a PTX operation on shared memory as an H200 performs it, and false for those that its
// assembler turns into loops.
func kindOf(op string, bytes int) (shared.Kind, bool) {
	switch {
	case strings.HasPrefix(op, "ld."):
		return shared.Load, true
	case strings.HasPrefix(op, "st."):
		return shared.Store, true
	case strings.Contains(op, ".cas."):
		return shared.Swap, true
	case op == "red.add.u32 1" || op == "atom.add.u32 1 unused" || op == "red.inc.u32":
		return shared.Count, true // ATOMS.POPC.INC; adding a signed 1, -1 or a value of a register is ATOMS.ADD
	case strings.Contains(op, "f32"), bytes == 8 && !strings.Contains(op, ".exch."):
		return 0, false // a loop of a load and ATOMS.CAST.SPIN
	}
	return shared.Atomic, true
}

// read returns the recorded rows that are one access each.
func read(t *testing.T) []row {
	b, err := os.ReadFile("../../../results/hw/h200/shared-passes.json")
	require.NoError(t, err)
	var record struct{ Rows []row }
	require.NoError(t, json.Unmarshal(b, &record))
	var rows []row
	for _, r := range record.Rows {
		_, one := kindOf(r.Op, r.Bytes)
		if one && r.Op != "red.and.b32" && r.Op != "red.or.b32" { // ptxas merges repetitions of these
			rows = append(rows, r)
		}
	}
	require.Greater(t, len(rows), 800)
	return rows
}

// access returns the active lanes of a row and their addresses.
func (r *row) access() (mask uint32, addrs [shared.Lanes]uint64) {
	for l, o := range r.Offsets {
		if o >= 0 {
			mask |= 1 << l
			addrs[l] = uint64(o)
		}
	}
	return mask, addrs
}

// TestSilicon compares the passes and the conflicts of every recorded access with those that an H200 counted, and the
// time of 32 warps with the passes that keep the data stage busy.
func TestSilicon(t *testing.T) {
	var b shared.Banks
	for _, r := range read(t) {
		kind, _ := kindOf(r.Op, r.Bytes)
		mask, addrs := r.access()
		p := b.Of(kind, mask, &addrs, r.Bytes, 32)
		require.Equal(t, r.Wavefronts, p.Count*r.Accesses, "wavefronts of %s, %s", r.Op, r.Pattern)
		require.Equal(t, r.Conflicts, p.Conflicts*r.Accesses, "conflicts of %s, %s", r.Op, r.Pattern)
		require.InDelta(t, float64(p.Cycles), r.Warps32, max(0.1, 0.015*r.Warps32), "cycles of %s, %s", r.Op, r.Pattern)
	}
}
