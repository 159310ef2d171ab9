package ir

// Graph is a control-flow graph. Its nodes are numbered from 0, the entry,
// without gaps.
type Graph struct {
	Succs [][]int32
	Preds [][]int32
}

// NewGraph returns the graph with these successor lists; it computes the
// predecessor lists.
func NewGraph(succs [][]int32) *Graph {
	nodes := len(succs)
	count := make([]int32, nodes)
	total := 0
	for _, list := range succs {
		total += len(list)
		for _, to := range list {
			count[to]++
		}
	}
	graph := &Graph{Succs: succs, Preds: make([][]int32, nodes)}
	room := make([]int32, 0, total)
	for i := range graph.Preds {
		from := len(room)
		room = room[:from+int(count[i])]
		graph.Preds[i] = room[from:from:len(room)]
	}
	for b, list := range succs {
		for _, to := range list {
			graph.Preds[to] = append(graph.Preds[to], int32(b))
		}
	}
	return graph
}

// postorder appends to order all unseen nodes reachable from root, children
// first. It visits the last successor of a node first, so that in reverse
// post-order a node is followed by its first successor.
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

// RPO returns the nodes reachable from the entry in reverse post-order.
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

// Dominators returns the immediate dominator of each node; -1 for the entry and
// for unreachable nodes.
func (g *Graph) Dominators() []int32 {
	return dominators(0, g.Succs, g.Preds)
}

// PostDominators returns the immediate post-dominator of each node; -1 if only
// the exit post-dominates it. If no exit is reachable from a node (an endless
// loop), the last node of the loop in reverse post-order gets an edge to the
// exit.
func (g *Graph) PostDominators() []int32 {
	n := len(g.Succs)
	exit := int32(n)
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
	ip := dominators(exit, preds, succs)[:n]
	for i, d := range ip {
		if d == exit {
			ip[i] = -1
		}
	}
	return ip
}

// domtree is the working state of dominators. Nodes are numbered in the order
// of a depth-first search.
type domtree struct {
	node   []int32 // by number
	num    []int32 // by node; -1 if the root does not reach it
	parent []int32 // by number: parent in the search tree; eval compresses the paths
	label  []int32 // by number: on the path that eval compressed, the number with the smallest semi
	semi   []int32 // by number: the semi-dominator
	path   []int32
}

// dominators returns the immediate dominator of each node; -1 for the root and
// for unreachable nodes. It uses the semi-NCA algorithm of Georgiadis, which
// takes close to linear time however deep the graph is and however many edges
// meet in a node. An iterative algorithm would walk the depth of the tree for
// each such edge.
func dominators(root int32, succs, preds [][]int32) []int32 {
	n := len(succs)
	t := &domtree{num: make([]int32, n), node: make([]int32, 0, n), parent: make([]int32, 0, n)}
	idom := make([]int32, n)
	for i := range idom {
		idom[i], t.num[i] = -1, -1
	}
	t.search(root, succs)
	k := int32(len(t.node))
	t.label, t.semi = make([]int32, k), make([]int32, k)
	for i := range k {
		t.label[i], t.semi[i] = i, i
	}
	dom := append([]int32(nil), t.parent...) // by number
	for i := k - 1; i > 0; i-- {
		t.semi[i] = t.parent[i]
		for _, p := range preds[t.node[i]] {
			if t.num[p] >= 0 {
				t.semi[i] = min(t.semi[i], t.semi[t.eval(t.num[p], i+1)])
			}
		}
	}
	for i := int32(1); i < k; i++ {
		for dom[i] > t.semi[i] {
			dom[i] = dom[dom[i]]
		}
		idom[t.node[i]] = t.node[dom[i]]
	}
	return idom
}

// search numbers the nodes reachable from root.
func (t *domtree) search(root int32, succs [][]int32) {
	type frame struct{ node, i int32 }
	number := func(b, parent int32) {
		t.num[b] = int32(len(t.node))
		t.node, t.parent = append(t.node, b), append(t.parent, parent)
	}
	number(root, 0)
	stack := []frame{{node: root}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if int(top.i) == len(succs[top.node]) {
			stack = stack[:len(stack)-1]
			continue
		}
		s := succs[top.node][top.i]
		top.i++
		if t.num[s] < 0 {
			number(s, t.num[top.node])
			stack = append(stack, frame{node: s})
		}
	}
}

// eval returns the number with the smallest semi on the path from v up through
// the linked nodes, those numbered linked or higher.
func (t *domtree) eval(v, linked int32) int32 {
	if t.parent[v] < linked {
		return t.label[v]
	}
	t.path = t.path[:0]
	for t.parent[v] >= linked {
		t.path = append(t.path, v)
		v = t.parent[v]
	}
	best := t.label[v]
	for i := len(t.path) - 1; i >= 0; i-- {
		w := t.path[i]
		t.parent[w] = t.parent[v]
		if l := t.label[w]; t.semi[best] < t.semi[l] {
			t.label[w] = best
		} else {
			best = l
		}
		v = w
	}
	return t.label[v]
}
