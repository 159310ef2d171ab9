package graph

import (
	"context"
	"fmt"
)

// Validate checks the invariants of a CSR: offsets ascend and end at the number of arcs,
// targets are in range and ascend within a row (equal neighbors are allowed), and
// Symmetric, if set, is true.
func (g *CSR) Validate() error {
	n := g.Vertices()
	switch {
	case n < 0:
		return fmt.Errorf("graph %s: Row is empty; it needs one offset more than there are vertices", g.Name)
	case n > MaxVertices:
		return fmt.Errorf("graph %s: %d vertices; at most %d", g.Name, n, uint64(MaxVertices))
	case g.Row[0] != 0:
		return fmt.Errorf("graph %s: the first row offset is %d, not 0", g.Name, g.Row[0])
	case g.Row[n] != uint64(len(g.Col)):
		return fmt.Errorf("graph %s: the last row offset is %d, but there are %d arcs", g.Name, g.Row[n], len(g.Col))
	case g.Weight != nil && len(g.Weight) != len(g.Col):
		return fmt.Errorf("graph %s: %d weights for %d arcs", g.Name, len(g.Weight), len(g.Col))
	case g.ID != nil && len(g.ID) != n:
		return fmt.Errorf("graph %s: %d file ids for %d vertices", g.Name, len(g.ID), n)
	}
	for u := range n {
		if lo, hi := g.Row[u], g.Row[u+1]; lo > hi || hi > uint64(len(g.Col)) {
			return fmt.Errorf("graph %s: vertex %d: row from %d to %d of %d arcs", g.Name, u, lo, hi, len(g.Col))
		}
	}
	for u := range n {
		lo, hi := g.Row[u], g.Row[u+1]
		for e := lo; e < hi; e++ {
			if int64(g.Col[e]) >= int64(n) {
				return fmt.Errorf("graph %s: vertex %d: arc to %d, but there are %d vertices", g.Name, u, g.Col[e], n)
			}
			if e > lo && g.Col[e-1] > g.Col[e] {
				return fmt.Errorf("graph %s: vertex %d: target %d comes after %d", g.Name, u, g.Col[e], g.Col[e-1])
			}
		}
	}
	if g.Symmetric {
		u, v, ok, err := findAsymmetry(context.Background(), g)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("graph %s: marked symmetric, but arc %d -> %d has no opposite of the same weight", g.Name, u, v)
		}
	}
	return nil
}
