package link

import "fmt"

// edge is a wire of the hybrid cube mesh: the two GPUs that it joins, and how many of the links of a V100 it has.
type edge struct{ a, b, links int }

// cubeGPUs is the number of GPUs of a DGX-1.
const cubeGPUs = 8

// cubeEdges are the wires of a DGX-1 with V100: two groups of four GPUs, each joined to the three others of its group and to one of
// the other group. NVIDIA/nccl issue 671 has the topology file of such a machine, and the wires of GPUs 0 and 1 are those of the file;
// the second group mirrors the first one. GPUs with four links, as in a DGX-1 with P100, have the same wires of one link each.
var cubeEdges = []edge{
	{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {1, 2, 2}, {1, 3, 1}, {2, 3, 2},
	{4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2},
	{0, 4, 2}, {1, 5, 2}, {2, 6, 1}, {3, 7, 1},
}

// cubeLinks reports whether GPUs with so many links can be joined to a cube.
func cubeLinks(n int) bool { return n == 4 || n == 6 }

// cube joins the first GPUs of a hybrid cube mesh. Where two GPUs have no wire in common, messages pass through a third one.
func (n *Network) cube() error {
	c := &n.cfg
	if n.gpus > cubeGPUs {
		return fmt.Errorf("links of %d GPUs: link.topology=cube joins %d at most; link.topology=switch joins more", n.gpus, cubeGPUs)
	}
	if !cubeLinks(c.Links) {
		return fmt.Errorf("links of %d GPUs: %s has %d per GPU, and link.topology=cube needs 4 or 6", n.gpus, c.Title(), c.Links)
	}
	var width [cubeGPUs][cubeGPUs]int // links between two GPUs
	m := peers(c)
	n.latency = m.latency
	for _, e := range cubeEdges {
		if e.a >= n.gpus || e.b >= n.gpus {
			continue
		}
		links := e.links
		if c.Links == 4 {
			links = 1
		}
		width[e.a][e.b], width[e.b][e.a] = links, links
		m.rate = float64(links) * c.Bandwidth * giga
		a, b := n.nodes[e.a], n.nodes[e.b]
		a.route[e.b], b.route[e.a] = n.wire(m, a, b)
	}
	for from := range n.gpus {
		for to := range n.gpus {
			if from != to && width[from][to] == 0 {
				n.nodes[from].route[to] = n.nodes[from].route[through(&width, from, to)]
			}
		}
	}
	return nil
}

// through returns the GPU that passes messages on between two that have no wire in common: of those that are joined to both, the one
// whose narrower wire has the most links, and of several such the first one. Any first GPUs of the cube have one
// (TestCubeReachesAll).
func through(width *[cubeGPUs][cubeGPUs]int, from, to int) (best int) {
	most := 0
	for k := range cubeGPUs {
		if w := min(width[from][k], width[k][to]); w > most {
			best, most = k, w
		}
	}
	return best
}
