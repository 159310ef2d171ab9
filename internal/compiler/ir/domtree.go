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
		top := &stack[len(stack)-1]
		if top.i == 0 {
			order = append(order, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		top.i--
		if succ := succs[top.b][top.i]; !seen[succ] {
			seen[succ] = true
			stack = append(stack, frame{succ, len(succs[succ])})
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
	count := len(g.Succs)
	exit := int32(count)
	preds := make([][]int32, count+1) // successors in the reversed graph
	succs := make([][]int32, count+1)
	copy(preds, g.Preds)
	copy(succs, g.Succs)
	var exits []int32
	tie := func(b int32) {
		exits = append(exits, b)
		succs[b] = append(append([]int32(nil), succs[b]...), exit)
	}
	// In reverse post-order the last block of an endless loop is its latch, which is the edge that a reader would cut.
	rpo := g.RPO()
	for _, b := range rpo {
		if len(g.Succs[b]) == 0 {
			tie(b)
		}
	}
	reach := make([]bool, count+1)
	var order []int32
	for _, b := range exits {
		order = postorder(b, preds[:count], reach, order)
	}
	for i := len(rpo) - 1; i >= 0; i-- {
		// No exit is reachable: an endless loop. Without an edge to the exit
		// its nodes would have no post-dominator at all.
		if b := rpo[i]; !reach[b] {
			tie(b)
			order = postorder(b, preds[:count], reach, order)
		}
	}
	preds[exit] = exits
	ip := dominators(exit, preds, succs)[:count]
	for i, dom := range ip {
		if dom == exit {
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
	count := len(succs)
	tree := &domtree{num: make([]int32, count), node: make([]int32, 0, count), parent: make([]int32, 0, count)}
	idom := make([]int32, count)
	for i := range idom {
		idom[i], tree.num[i] = -1, -1
	}
	tree.search(root, succs)
	reached := int32(len(tree.node))
	tree.label, tree.semi = make([]int32, reached), make([]int32, reached)
	for i := range reached {
		tree.label[i], tree.semi[i] = i, i
	}
	// A dominator of a node is an ancestor in the search tree: the parent is where the search for it begins.
	dom := append([]int32(nil), tree.parent...) // by number
	// Against the search order: eval looks at nodes with higher numbers alone, whose semi-dominators are final.
	for i := reached - 1; i > 0; i-- {
		tree.semi[i] = tree.parent[i]
		for _, pred := range preds[tree.node[i]] {
			if tree.num[pred] >= 0 {
				tree.semi[i] = min(tree.semi[i], tree.semi[tree.eval(tree.num[pred], i+1)])
			}
		}
	}
	for i := int32(1); i < reached; i++ {
		// In search order: the dominators of all nodes with lower numbers are
		// final, so that the nearest one that is not below the semi-dominator
		// is the immediate dominator.
		for dom[i] > tree.semi[i] {
			dom[i] = dom[dom[i]]
		}
		idom[tree.node[i]] = tree.node[dom[i]]
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
		succ := succs[top.node][top.i]
		top.i++
		if t.num[succ] < 0 {
			number(succ, t.num[top.node])
			stack = append(stack, frame{node: succ})
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
	// Path compression, from the top down: each node learns the smallest label
	// between it and the root of its tree, so that later calls skip the path.
	for i := len(t.path) - 1; i >= 0; i-- {
		below := t.path[i]
		t.parent[below] = t.parent[v]
		if label := t.label[below]; t.semi[best] < t.semi[label] {
			t.label[below] = best
		} else {
			best = label
		}
		v = below
	}
	return t.label[v]
}
