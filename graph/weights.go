package graph

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/internal/base/laps"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// MaxHashWeight is the largest result of HashWeight.
const MaxHashWeight = 64

// HashRule describes HashWeight in words, for notes.
const HashRule = "1 + the top 6 bits of the first output of splitmix64 seeded with min(u,v)*2^32 + max(u,v), so 1 to 64, the same for u-v and v-u"

// HashWeight returns the weight of the arc between u and v in a graph without weights of
// its own: 1 to 64, the same in both directions. With x = min(u,v)<<32 | max(u,v), it is 1
// + the top six bits of the first output of splitmix64 seeded with x. u and v are vertex
// numbers of the CSR (from 0, without gaps), before a permutation.
func HashWeight(u, v uint32) uint32 {
	x := uint64(min(u, v))<<32 | uint64(max(u, v))
	return 1 + uint32(mix64(x+splitMixGamma)>>58)
}

// WithWeights returns g if it has weights. Otherwise it returns a graph that shares g's
// arcs and has weights by HashWeight, and assigned is true. The error reports that there is
// not enough memory, or is ctx's error.
func (g *CSR) WithWeights(ctx context.Context) (weighted *CSR, assigned bool, err error) {
	if g.Weight != nil {
		return g, false, nil
	}
	defer laps.Start(ctx, "assigning weights")()
	h, err := g.emptyWeights()
	if err != nil {
		return nil, false, err
	}
	return h, true, g.eachRows(ctx, func(_, lo, hi int) {
		for u := lo; u < hi; u++ {
			from := g.unpermuted(uint32(u))
			for e := g.Row[u]; e < g.Row[u+1]; e++ {
				h.Weight[e] = HashWeight(from, g.unpermuted(g.Col[e]))
			}
		}
	})
}

// unpermuted returns the number of v before the permutation.
func (g *CSR) unpermuted(v uint32) uint32 {
	if g.order == nil {
		return v
	}
	return g.order.before[v]
}

// emptyWeights returns a graph that shares g's arcs and in which every weight is 0.
func (g *CSR) emptyWeights() (*CSR, error) {
	if err := memory.Need(memory.Bytes[uint32](uint64(g.Arcs())), "the weights of the %d arcs of graph %q", g.Arcs(), g.Name); err != nil {
		return nil, err
	}
	h := *g
	h.Weight, h.BadWeights = make([]uint32, len(g.Col)), nil
	return &h, nil
}

// withUnitWeights returns a graph that shares g's arcs and in which every weight is 1.
func (g *CSR) withUnitWeights(ctx context.Context) (*CSR, error) {
	h, err := g.emptyWeights()
	if err != nil {
		return nil, err
	}
	return h, eachRange(ctx, len(h.Weight), func(_, lo, hi int) {
		for e := lo; e < hi; e++ {
			h.Weight[e] = 1
		}
	})
}

// weightSource describes where a builder's weights come from, for the notes.
type weightSource struct {
	have  bool   // the file has a value for each edge
	what  string // "third column", "values", for the notes
	bad   uint64 // values that are not valid weights
	line  int    // line of the first invalid value
	first string // the first invalid value
}

// reject counts a value that is not a valid weight.
func (s *weightSource) reject(line int, token []byte) {
	if s.bad == 0 {
		s.line, s.first = line, quote(token)
	}
	s.bad++
}

// ErrWeights is wrapped by errors about a file's weights.
var ErrWeights = errors.New("the file's weights cannot be used")

// decide determines whether the file's weights are used, and adds a note if they are not.
// unusable says why they are invalid, if the mode would have used them; if the mode
// requires them, that is the error.
//
// Either all weights come from the file or none: a mixture of values and hashes would be
// meaningless. Values that are not whole 32-bit numbers are neither rounded nor scaled,
// because that would silently change shortest paths.
func (s *weightSource) decide(file string, mode WeightMode, edges uint64, notes *Notes) (use bool, unusable, err error) {
	switch {
	case !s.have && mode == WeightsFile:
		return false, nil, &FileError{File: file, What: "the weights of the file are requested, but it has none", Err: ErrWeights}
	case !s.have:
		return false, nil, nil
	case mode == WeightsHash || mode == WeightsUnit || mode == WeightsNone:
		notes.add(NoteValuesIgnored, edges, "the file's weights (%s) are ignored, as requested", s.what)
		return false, nil, nil
	case s.bad > 0:
		unusable = &FileError{File: file, Line: s.line, Err: ErrWeights,
			What: fmt.Sprintf("%s is not a valid weight: weights are whole numbers from 0 to 4294967295 (%s)", s.first, plural(s.bad, "value in the file is invalid", "values in the file are invalid"))}
		if mode != WeightsAuto {
			return false, nil, unusable
		}
		notes.add(NoteValuesIgnored, edges,
			"the file's weights (%s) are ignored: %s from 0 to 4294967295 (the first is %s in line %d)",
			s.what, plural(s.bad, "value is not a whole number", "values are not whole numbers"), s.first, s.line)
		return false, unusable, nil
	}
	notes.add(NoteWeightsFile, edges, "weights come from the file (%s)", s.what)
	return true, nil, nil
}
