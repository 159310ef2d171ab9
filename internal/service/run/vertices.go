package run

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/option"
)

// In everything that the command reads and prints, vertices have the numbers of
// the graph's file. The program's own numbers are indices of arrays in memory.

// MaxDegree is the word for the source vertex with the largest degree.
const MaxDegree = option.MaxDegree

// Source is a vertex as the user named it.
type Source struct {
	text string
	max  bool   // the vertex with the largest degree
	id   uint64 // a number that is too large is replaced by the maximum
}

// ParseSource parses a vertex as a user names it.
func ParseSource(text string) (Source, error) {
	if text == MaxDegree {
		return Source{text: text, max: true}, nil
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return Source{}, usage.Of(option.Source, usage.Say("write the id of a vertex, as in the graph's file, such as %s, or %s", option.Source.With("0"), option.Source.With(MaxDegree)), "%q is not a vertex", text)
	}
	return Source{text: text, id: id}, nil
}

// SourceAt returns a vertex of graph g as a user would name it.
func SourceAt(g *graph.CSR, v uint32) Source {
	id := g.FileID(v)
	return Source{text: strconv.FormatUint(id, 10), id: id}
}

// String returns the vertex as the user named it.
func (s Source) String() string { return s.text }

// In returns the vertex of graph g.
func (s Source) In(g *graph.CSR) (uint32, error) {
	n := g.Vertices()
	if n == 0 {
		return 0, fmt.Errorf("graph %s has no vertices", g.Name)
	}
	if s.max {
		v, _ := g.MaxDegreeVertex()
		return v, nil
	}
	v, ok := g.VertexOf(s.id)
	if !ok {
		gaps := ""
		if g.ID != nil {
			gaps = ", with gaps"
		}
		return 0, usage.Errorf("use the ids of the graph's file", "%s: graph %s has no vertex %s; its ids go from %d to %d%s",
			option.Source, g.Name, s.text, g.FileID(0), g.FileID(uint32(n-1)), gaps)
	}
	return v, nil
}

// FileIDs converts values that are vertices to the numbers of the graph's file. What stands for no vertex becomes all ones, as
// it was: no file has a vertex of that number.
func FileIDs(a catalog.Algorithm, g *graph.CSR, values any) any {
	labels, ok := values.([]uint32)
	if a.Host == nil || !a.Host.Vertices || !ok {
		return values
	}
	ids := make([]uint64, len(labels))
	for i, v := range labels {
		if ids[i] = math.MaxUint64; v != reference.Unreached {
			ids[i] = g.FileID(v)
		}
	}
	return ids
}
