//go:build !kernel

package kernels

import (
	"context"
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/graph/reference"
)

// Host is the host half of an algorithm: what it wants of a graph, what a user
// gets as its answer, and how that is checked. First values and frontiers are
// the device's business (Init, Start).
type Host struct {
	Symmetric bool   // runs on the graph with the opposite of each arc added
	Weighted  bool   // looks at weights
	Source    bool   // starts from a source vertex
	Value     string // what a number of the answer is: "level"
	Vertices  bool   // the numbers of the answer are vertices
	// Params refuses values of parameters (by lower-case name); nil: all are good.
	Params func(params map[string]reflect.Value) error
	// Answer turns what a run left into the answer; nil: the values are the answer.
	Answer func(left Left) (any, error)
	// Check compares an answer with the CPU reference; left is what Answer made it
	// of. The tolerance is nil where values must be equal. It ends with ctx's
	// error when ctx ends.
	Check func(ctx context.Context, p Problem, left Left, answer any) (*reference.Tolerance, error)
}

// Left is what a run left on the device.
type Left struct {
	Values     any            // by vertex
	Arrays     map[string]any // the algorithm's own, by field name
	Iterations int            // how often a vertex may have been worked off
}

// Problem is what an answer is checked against.
type Problem struct {
	Graph  *graph.CSR // as it was run: weighted or symmetric where the algorithm wants it
	Source uint32
	Params map[string]reflect.Value
}

// as gives x its type, or says what it is instead.
func as[T any](x any) (T, error) {
	t, ok := x.(T)
	if !ok {
		return t, fmt.Errorf("the answer is %T, not %T", x, t)
	}
	return t, nil
}
