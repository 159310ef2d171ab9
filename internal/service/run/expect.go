package run

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

// Expected is an answer from a file with which a run is compared.
type Expected struct {
	File      string
	Tolerance float64 // relative tolerance for floats; 0 requires equal values
	values    any     // by vertex, in the form that WriteAnswer writes
}

// ReadExpected reads the answer of an algorithm on a graph in the format of
// WriteAnswer: each line has a vertex, by its id in the graph's file, and its
// value, in any order. Empty lines and lines that begin with # are skipped. The
// error has file and line.
func ReadExpected(ctx context.Context, r io.Reader, file string, e catalog.Entry, g *graph.CSR) (*Expected, error) {
	elem := valueType(e)
	n := g.Vertices()
	values, lines := reflect.MakeSlice(reflect.SliceOf(elem), n, n), make([]int, n)
	s := bufio.NewScanner(r)
	have, line := 0, 0
	for s.Scan() {
		line++
		bad := func(text string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(text, args...))
		}
		fields := strings.Fields(s.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, bad("%q is not a vertex and its value; write them with a tab or spaces between", strings.TrimSpace(s.Text()))
		}
		id, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, bad("%q is not the id of a vertex; write one as in the graph's file", fields[0])
		}
		v, ok := g.VertexOf(id)
		if !ok {
			return nil, bad("graph %s has no vertex %s", g.Name, fields[0])
		}
		if lines[v] > 0 {
			return nil, bad("vertex %d has a value already, in line %d", id, lines[v])
		}
		x, err := scheduler.ParseScalar(elem, fields[1])
		if err != nil {
			return nil, bad("the value of vertex %d: %v", id, err)
		}
		values.Index(int(v)).Set(x)
		lines[v] = line
		have++
		if have%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if err := s.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, fmt.Errorf("%s:%d: the line is too long; write a vertex and its value", file, line+1)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for v, l := range lines {
		if l == 0 {
			return nil, fmt.Errorf("%s: vertex %d has no value; it has values of %s of %s vertices", file, g.FileID(uint32(v)), format.Thousands(have), format.Thousands(n))
		}
	}
	return &Expected{File: file, values: values.Interface()}, nil
}

// valueType returns the type of the values of an algorithm's answer, after
// FileIDs.
func valueType(e catalog.Entry) reflect.Type {
	if h := e.Algorithm.Host; h != nil && h.Vertices {
		return reflect.TypeFor[uint64]()
	}
	return e.Type.Value
}

// Rounds reports whether the values of an algorithm's answer are floats, to
// which a tolerance applies.
func Rounds(e catalog.Entry) bool {
	k := valueType(e).Kind()
	return k == reflect.Float32 || k == reflect.Float64
}

// judge compares the answer of a run with the expected one.
func (x *Expected) judge(res *catalog.Result, e catalog.Entry, g *graph.CSR) {
	value := ""
	if h := e.Algorithm.Host; h != nil {
		value = h.Value
	}
	res.Tolerance, res.Mismatch = reference.Compare(reference.Expected{Algorithm: e.Algorithm.Name, Value: cmp.Or(value, "value"), By: x.File,
		Graph: g, Values: x.values, Tolerance: x.Tolerance}, res.Values)
	res.Checked, res.Verified = true, res.Mismatch == nil
}
