package ir

// Graph is a control-flow graph on dense block numbers; 0 is the entry.
type Graph struct {
	Succs [][]int32
	Preds [][]int32
}

// NewGraph completes the successor lists with the predecessors.
func NewGraph(succs [][]int32) *Graph {
	n := len(succs)
	count := make([]int32, n)
	total := 0
	for _, s := range succs {
		total += len(s)
		for _, t := range s {
			count[t]++
		}
	}
	g := &Graph{Succs: succs, Preds: make([][]int32, n)}
	room := make([]int32, 0, total)
	for i := range g.Preds {
		k := len(room)
		room = room[:k+int(count[i])]
		g.Preds[i] = room[k:k:len(room)]
	}
	for b, s := range succs {
		for _, t := range s {
			g.Preds[t] = append(g.Preds[t], int32(b))
		}
	}
	return g
}

// postorder appends what can be reached from root and is not seen yet,
// children first; of several successors the last is visited first, so that in
// reverse post-order the first successor follows its block.
func postorder(root int32, succs [][]int32, seen []bool, order []int32) []int32 {
	type frame struct {
		b int32
		i int
	}
	if seen[root] {
		return order
	}
	seen[root] = true
	stack := []frame{{root, len(succs[root])}}
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == 0 {
			order = append(order, t.b)
			stack = stack[:len(stack)-1]
			continue
		}
		t.i--
		if s := succs[t.b][t.i]; !seen[s] {
			seen[s] = true
			stack = append(stack, frame{s, len(succs[s])})
		}
	}
	return order
}

// RPO is the blocks that the entry reaches, in reverse post-order.
func (g *Graph) RPO() []int32 {
	order := postorder(0, g.Succs, make([]bool, len(g.Succs)), make([]int32, 0, len(g.Succs)))
	reverse(order)
	return order
}

func reverse(s []int32) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// Dominators gives each block its immediate dominator; -1 for the entry and
// for what it does not reach.
func (g *Graph) Dominators() []int32 {
	return dominators(g.RPO(), g.Preds, len(g.Succs))
}

// PostDominators gives each block its immediate post-dominator; -1 where only
// the exit post-dominates. Blocks from which no exit can be reached (endless
// loops) are tied to the exit by their last block in reverse post-order.
func (g *Graph) PostDominators() []int32 {
	n := len(g.Succs)
	exit := int32(n)
	seen := make([]bool, n+1)
	preds := make([][]int32, n+1) // successors in the reversed graph
	succs := make([][]int32, n+1)
	copy(preds, g.Preds)
	copy(succs, g.Succs)
	var exits []int32
	tie := func(b int32) {
		exits = append(exits, b)
		succs[b] = append(append([]int32(nil), succs[b]...), exit)
	}
	rpo := g.RPO()
	for _, b := range rpo {
		if len(g.Succs[b]) == 0 {
			tie(b)
		}
	}
	reach := make([]bool, n+1)
	var order []int32
	for _, b := range exits {
		order = postorder(b, preds[:n], reach, order)
	}
	for i := len(rpo) - 1; i >= 0; i-- {
		if b := rpo[i]; !reach[b] {
			tie(b)
			order = postorder(b, preds[:n], reach, order)
		}
	}
	preds[exit] = exits
	order = postorder(exit, preds, seen, order[:0])
	reverse(order)
	ip := dominators(order, succs, n+1)[:n]
	for i, d := range ip {
		if d == exit {
			ip[i] = -1
		}
	}
	return ip
}

// dominators is the iterative algorithm of Cooper, Harvey and Kennedy.
func dominators(rpo []int32, preds [][]int32, n int) []int32 {
	num := make([]int32, n)
	idom := make([]int32, n)
	for i := range idom {
		idom[i] = -1
	}
	for i, b := range rpo {
		num[b] = int32(i)
	}
	root := rpo[0]
	idom[root] = root
	for changed := true; changed; {
		changed = false
		for _, b := range rpo[1:] {
			d := int32(-1)
			for _, p := range preds[b] {
				if idom[p] < 0 {
					continue
				}
				if d < 0 {
					d = p
					continue
				}
				for x := p; x != d; {
					for num[x] > num[d] {
						x = idom[x]
					}
					for num[d] > num[x] {
						d = idom[d]
					}
				}
			}
			if idom[b] != d {
				idom[b], changed = d, true
			}
		}
	}
	idom[root] = -1
	return idom
}
