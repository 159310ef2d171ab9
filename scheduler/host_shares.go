//go:build !kernel

package scheduler

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
)

// GPUShare is what one GPU of a group has at the end of a run: the values and arrays of the vertices from Lo to Hi (exclusive). Values and arrays have an
// element for each vertex of the graph.
type GPUShare struct {
	Memory   *Memory
	Instance *Instance
	Values   device.Buffer
	Lo, Hi   int
	Read     func() error // reads what else the host wants to know at the end of the run; nil if that is nothing
}

// FinishShares is Finish for a run on a group. shares are those of all GPUs, or after an error of those that have some; it frees the memory of each.
func (l *Loop) FinishShares(err error, shares []GPUShare) (*Outcome, error) {
	out, err := l.FinishAs(err, func(out *Outcome) error {
		all := reflect.MakeSlice(reflect.SliceOf(l.Algorithm.Value), 0, l.Vertices())
		arrays := map[string]reflect.Value{}
		for _, s := range shares {
			own, err := s.Memory.ReadSlice(s.Values.Slice(s.Lo, s.Hi), l.Algorithm.Value, s.Hi-s.Lo)
			if err != nil {
				return err
			}
			all = reflect.AppendSlice(all, reflect.ValueOf(own))
			if s.Read != nil {
				if err := s.Read(); err != nil {
					return err
				}
			}
			parts, err := s.Instance.Elements(s.Memory, s.Lo, s.Hi)
			if err != nil {
				return err
			}
			for name, own := range parts {
				if list, ok := arrays[name]; ok {
					arrays[name] = reflect.AppendSlice(list, reflect.ValueOf(own))
				} else {
					arrays[name] = reflect.ValueOf(own)
				}
			}
		}
		out.Values, out.Arrays = all.Interface(), map[string]any{}
		for name, list := range arrays {
			out.Arrays[name] = list.Interface()
		}
		return nil
	})
	for _, s := range shares {
		err = errors.Join(err, s.Memory.Free())
	}
	return out, err
}

// RowsWithin returns the row offsets of all vertices of a graph that has the arcs of those from lo to hi (exclusive) alone: kernels for one GPU run
// on a range of the vertices then, with the numbers that these have.
func RowsWithin(g *graph.CSR, lo, hi int) []uint32 {
	rows := make([]uint32, g.Vertices()+1)
	for v := range rows {
		rows[v] = uint32(g.Row[min(max(v, lo), hi)] - g.Row[lo])
	}
	return rows
}

// CheckPeers returns an error if a group has more GPUs than kernels have places for, or some that cannot store to the memory of others.
func CheckPeers(g device.Group) error {
	if n := g.GPUs(); n > MostPeers+1 {
		return fmt.Errorf("%s has %d GPUs; kernels that store to the memory of others are for at most %d", g.Name(), n, MostPeers+1)
	}
	if from, to, found := unreachable(g); found {
		return fmt.Errorf("kernels on GPU %d of %s cannot store to the memory of GPU %d", from, g.Name(), to)
	}
	return nil
}

// unreachable returns two GPUs of which the kernels of the first cannot store to the memory of the second, if there are such.
func unreachable(g device.Group) (from, to int, found bool) {
	for from := range g.GPUs() {
		for to := range g.GPUs() {
			if from != to && !g.Peer(from, to).Access {
				return from, to, true
			}
		}
	}
	return 0, 0, false
}
