// Package mru is a replacement policy for the L1 caches of a simulated machine: it
// evicts the line that was used last. Import it for its effect and select it by
// --set l1.replacement=mru.
package mru

import "github.com/weft-gpu/weft/sim/policy"

func init() {
	policy.RegisterReplacement("mru", func(uint64) policy.Replacement { return &mru{} })
}

// mru knows the way that was used last, for each set.
type mru struct{ last []int }

// Reset empties the cache.
func (m *mru) Reset(sets, ways int) { m.last = make([]int, sets) }

// Used notes a hit or a fill.
func (m *mru) Used(set, way int, fill bool) { m.last[set] = way }

// Victim returns the way that was used last.
func (m *mru) Victim(set int) int { return m.last[set] }
