//go:build !kernel

package multi

import (
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// open opens a generator's graph.
func open(t *testing.T, spec string) *graph.CSR {
	t.Helper()
	g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// owner returns the range that has vertex v.
func owner(bounds []int, v uint32) int {
	return sort.Search(len(bounds)-1, func(i int) bool { return bounds[i+1] > int(v) })
}

func TestHalves(t *testing.T) {
	require.Equal(t, []int{0, 0, 0}, halves([]uint32{7}))
	require.Equal(t, []int{0, 0, 20}, halves(make([]uint32, 21)), "without arcs")
	require.Equal(t, []int{0, 20, 20}, halves(append(make([]uint32, 20), 9)), "no whole group but the last one")
	rows := make([]uint32, 201)
	for i := range rows {
		rows[i] = uint32(5 * i)
	}
	require.Equal(t, []int{0, 128, 200}, halves(rows))
}

// TestMarks checks the marks against all arcs, from the view of the sender.
func TestMarks(t *testing.T) {
	g := open(t, "rmat:scale=7,degree=4,seed=5,directed=true")
	in, err := g.Transpose(t.Context())
	require.NoError(t, err)
	bounds := scheduler.Ranges(in.Row, 3, 1)
	want := make([]uint32, g.Vertices())
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			if i := owner(bounds, v); i != owner(bounds, u) {
				want[u] |= 1 << i
			}
		}
	}
	need := marks(in, bounds)
	require.Equal(t, want, need)
	for _, v := range boundary(need, bounds[1], bounds[2]) {
		require.NotZero(t, want[v])
		require.Equal(t, 1, owner(bounds, v))
	}
	far := targets([]*graph.CSR{g}, bounds[1], bounds[2], false)
	require.IsIncreasing(t, far)
	for _, v := range far {
		require.NotEqual(t, 1, owner(bounds, v))
	}
	require.Len(t, targets([]*graph.CSR{g}, bounds[1], bounds[2], true), g.Vertices()-bounds[2]+bounds[1])
	require.Equal(t, uint32(0), rowsOf(g, bounds[1], bounds[2])[0])
	both := []*graph.CSR{g, in}
	for _, v := range targets(both, bounds[1], bounds[2], false) {
		require.NotEqual(t, 1, owner(bounds, v))
	}
	for i := range 3 {
		to := [2]int{}
		for v := range uint32(g.Vertices()) {
			for _, u := range g.Neighbors(v) {
				if owner(bounds, v) == 1 && owner(bounds, u) == i {
					to[0]++
				}
				if owner(bounds, u) == 1 && owner(bounds, v) == i {
					to[1]++
				}
			}
		}
		require.Equal(t, max(to[0], to[1]), arcsTo(both, bounds[1], bounds[2], bounds[i], bounds[i+1]))
	}
}

// TestPut checks that an outbox gets the value of each lane that sends, once, over several
// launches, and that a warp reserves its places together, in the order of its lanes.
func TestPut(t *testing.T) {
	const blocks, threads = 2, 64
	rng := rand.New(rand.NewPCG(1, 2))
	top := uint32(17)
	for range 3 {
		sends := make([]bool, blocks*threads)
		want := map[uint32]uint64{}
		for i := range sends {
			if sends[i] = rng.Uint32N(3) == 0; sends[i] {
				want[uint32(i)] = uint64(i) * 3
			}
		}
		box := Outbox[uint64]{Pairs: make([]uint64, 2*blocks*threads), Top: &top, Begin: top}
		require.NoError(t, gpu.Launch(blocks, threads, func(th gpu.Thread) {
			box.Put(th, th.Global(), uint64(th.Global())*3, sends[th.Global()])
		}))
		got := map[uint32]uint64{}
		n := top - box.Begin
		for i := range n {
			v, x := scheduler.GetPair[uint64](box.Pairs, i)
			got[v] = x
			if i > 0 {
				if last, _ := scheduler.GetPair[uint64](box.Pairs, i-1); last/32 == v/32 {
					require.Less(t, last, v)
				}
			}
		}
		require.Equal(t, want, got)
		require.Len(t, want, int(n))
	}
}

// TestCommunication checks the bytes and the useful bytes of each pair of GPUs and of each
// iteration against a run of the same iterations on the host.
func TestCommunication(t *testing.T) {
	const gpus = 3
	for _, base := range []string{baseWarpseg, basePush} {
		for _, exchange := range []string{all, ms, vrOffline, vrOnline} {
			for _, more := range []map[string]string{{"transfer": host}, {"transfer": peer}, {"overlap": "true"}} {
				if base == basePush && more["overlap"] != "" {
					continue
				}
				t.Run(base+" "+exchange, func(t *testing.T) {
					params := map[string]string{"block": "32", "base": base, "exchange": exchange}
					maps.Copy(params, more)
					j := levelsJob(t, gpus, "smallworld:n=200,degree=4,seed=2", params)
					out, err := New().Run(t.Context(), j)
					require.NoError(t, err)
					want := expected(t, j, base == basePush, gpus)
					pairs := slices.Clone(out.Communication.Pairs)
					if more["overlap"] != "" && exchange != vrOnline {
						// The first half of the last iteration was sent before it was known to be the last.
						longer := want
						longer.exchanges++
						for i, p := range longer.pairs(exchange) {
							require.Less(t, pairs[i].Bytes, p.Bytes)
							require.Greater(t, pairs[i].Bytes, want.pairs(exchange)[i].Bytes)
							pairs[i].Bytes = want.pairs(exchange)[i].Bytes
						}
					}
					require.Equal(t, want.pairs(exchange), pairs)
					require.Equal(t, want.iterations, out.Iterations)
					var sent, useful float64
					for _, s := range out.Steps {
						if !s.Setup {
							b, _ := s.Number("sent_bytes")
							u, _ := s.Number("useful_bytes")
							sent, useful = sent+b, useful+u
						}
					}
					require.InDelta(t, out.Communication.Bytes(), sent, 0)
					require.InDelta(t, out.Communication.Useful(), useful, 0)
				})
			}
		}
	}
}

// levelsJob returns a job of breadth-first search on a native group.
func levelsJob(t *testing.T, gpus int, spec string, params map[string]string) scheduler.Job {
	t.Helper()
	type alg = kernels.BFS
	d := native.NewGroup(map[string]any{
		"scheduler.Init[kernels.BFS, uint32]": scheduler.Init[alg, uint32],
		"multi.Pack[uint32]":                  Pack[uint32], "multi.Unpack[uint32]": Unpack[uint32], "multi.Empty[uint32]": Empty[uint32],
		"multi.Pull[kernels.BFS, multi.Segments, uint32]":          Pull[alg, Segments, uint32],
		"multi.PullSend[kernels.BFS, multi.Segments, uint32]":      PullSend[alg, Segments, uint32],
		"multi.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]": Push[alg, scheduler.WarpPerVertex, uint32],
		"multi.Begin[kernels.BFS, uint32]":                         Begin[alg, uint32],
		"multi.Collect[kernels.BFS, uint32]":                       Collect[alg, uint32],
		"multi.Merge[kernels.BFS, uint32]":                         Merge[alg, uint32], "multi.MergeFixed[kernels.BFS, uint32]": MergeFixed[alg, uint32],
	}, gpus)
	values, err := New().Values(params)
	require.NoError(t, err)
	return scheduler.Job{Device: d, Kernels: d, Graph: open(t, spec), Source: 3, Params: values,
		Algorithm: scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32](), From: map[string]string{"Apply": "scheduler.Min", "Combine": "scheduler.Min"}}}
}

// messages is what GPUs have to tell each other in a breadth-first search, as numbers of
// values. Each one counts for the pair of sender and receiver.
type messages struct {
	gpus, iterations int
	all, boundary    map[[2]int]int // an iteration
	changed, useful  map[[2]int]int // over all iterations
	exchanges        int            // iterations after which something is sent
}

// pairs returns the bytes of each pair for an exchange.
func (m messages) pairs(exchange string) (list []scheduler.PairUse) {
	for from := range m.gpus {
		for to := range m.gpus {
			if from == to {
				continue
			}
			k := [2]int{from, to}
			sent := map[string]int{all: 4 * m.exchanges * m.all[k], ms: 4 * m.exchanges * m.boundary[k], vrOffline: 8 * m.exchanges * m.boundary[k], vrOnline: 8 * m.changed[k]}
			list = append(list, scheduler.PairUse{From: from, To: to, Bytes: uint64(sent[exchange]), Useful: uint64(4 * m.useful[k])})
		}
	}
	return list
}

// expected finds the messages from the levels of the reference. In a pull, vertex v changes in
// iteration level(v), and what the last iteration changes is not sent. In a push, a GPU learns
// of a vertex of another one when it expands a neighbor in the level before, unless it has found
// the vertex earlier.
func expected(t *testing.T, j scheduler.Job, push bool, gpus int) messages {
	t.Helper()
	g := j.Graph
	level, err := reference.BFS(t.Context(), g, j.Source)
	require.NoError(t, err)
	m := messages{gpus: gpus, all: map[[2]int]int{}, boundary: map[[2]int]int{}, changed: map[[2]int]int{}, useful: map[[2]int]int{}}
	last := slices.Max(level)
	require.NotEqual(t, kernels.Unreached, last)
	bounds := scheduler.Ranges(g.Row, gpus, 1)
	need := marks(g, bounds)
	m.iterations, m.exchanges = int(last)+1, int(last)
	if push {
		m.exchanges++
	}
	for v := range uint32(g.Vertices()) {
		own := owner(bounds, v)
		for i := range gpus {
			k := [2]int{own, i}
			if i == own {
				continue
			}
			reads := need[v]>>i&1 != 0
			if push {
				k = [2]int{i, own}
				m.all[k]++
				if reads {
					m.boundary[k]++
				}
				found := uint32(math.MaxUint32)
				for _, u := range g.Neighbors(v) {
					if owner(bounds, u) == i {
						found = min(found, level[u]+1)
					}
				}
				if found != math.MaxUint32 && v != j.Source {
					m.changed[k]++
					m.useful[k]++
				}
				continue
			}
			m.all[k]++
			sent := v != j.Source && need[v] != 0
			if need[v] != 0 {
				m.boundary[k]++
			}
			if sent {
				m.changed[k]++
			}
			if sent && reads {
				m.useful[k]++
			}
		}
	}
	return m
}

// samePair stores a value as a pair and loads it again.
func samePair[V gpu.Num](t *testing.T, words int, x V) {
	t.Helper()
	pairs := make([]uint64, 3*words)
	require.EqualValues(t, 3, scheduler.PairsIn[V](pairs))
	scheduler.PutPair(pairs, 1, ^uint32(0)-5, x)
	v, got := scheduler.GetPair[V](pairs, 1)
	require.Equal(t, ^uint32(0)-5, v)
	require.Equal(t, x, got)
	require.Zero(t, pairs[0])
	require.Zero(t, pairs[2*words])
}

func TestPairs(t *testing.T) {
	samePair[uint32](t, 1, ^uint32(0))
	samePair[int32](t, 1, -7)
	samePair[float32](t, 1, -1.25e-20)
	samePair(t, 2, ^uint64(0)-3)
	samePair[int64](t, 2, -7)
	samePair(t, 2, 1e300)
}

// TestStores checks that a GPU stores what it sends to all others by as few launches as possible, and that each receiver
// waits for the launch with its messages.
func TestStores(t *testing.T) {
	for _, c := range []struct{ gpus, launches int }{{2, 1}, {8, 1}, {9, 2}, {16, 3}} {
		var sent [][]message
		m := mail{store: func(ms []message) (*device.Launch, error) {
			sent = append(sent, ms)
			return &device.Launch{}, nil
		}}
		const from = 1
		s := sheet{from: from, src: device.Buffer{Addr: 1, Elem: device.U32, Len: 3}}
		for to := range c.gpus {
			if to != from {
				s.to = append(s.to, receiver{gpu: to, dst: device.Buffer{Addr: uint64(100 + to), Elem: device.U32, Len: 3}})
			}
		}
		m.post(s)
		var b scheduler.Batch
		counted := 0
		arrives, err := m.deliver(&b, c.gpus, func(int, receiver) { counted++ })
		require.NoError(t, err)
		require.Equal(t, c.gpus-1, counted)
		require.Equal(t, c.launches, b.Add(scheduler.Control, device.Command{}), "commands before this one")
		require.Len(t, sent, c.launches)
		for i, ms := range sent {
			require.LessOrEqual(t, len(ms), Messages)
			for _, x := range ms {
				to := int(x.dst.Addr - 100)
				require.Equal(t, []int{i}, arrives[to])
				require.Equal(t, s.src, x.src)
			}
		}
		require.Equal(t, uint64(100+(from+1)%c.gpus), sent[0][0].dst.Addr, "the next GPU comes first")
		require.Empty(t, arrives[from])
		require.Empty(t, m.sheets)
	}
}
