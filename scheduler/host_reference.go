//go:build !kernel

package scheduler

import (
	"context"
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/reference"
)

// Host is the host half of an algorithm: its name, and how its answer is checked and
// printed. It is usually in a file host_NAME.go beside the algorithm's type; the file
// begins with //go:build !kernel, so it may use all of Go. Name and Device are required;
// other fields may be left out.
type Host struct {
	Name string // as a user types it: "bfs"; lower-case letters, digits and hyphens
	Doc  string // one line
	// Device is a value of the algorithm's type, such as BFS{}. Kernels are
	// compiled for this type; the value itself is not used.
	Device any
	// Sources are the packages of device code that the type needs and that do not come with
	// Weft: its own package, and those that it imports.
	Sources []gpu.Package

	Value    string // what one value of the answer is: "level"; "value" if empty
	Vertices bool   // the values of the answer are vertices; they are printed as ids of the graph's file

	// Params returns an error if the values of the type's scalar fields, by lower-case
	// name, are invalid. If it is nil, all values are valid.
	Params func(params map[string]reflect.Value) error
	// Defaults returns values, by lower-case name, of parameters whose best value depends on
	// the graph and on the scheme, for a run in which the user sets none. If it is nil, the
	// tags of the fields have the defaults.
	Defaults func(g *graph.CSR, s Scheme) map[string]string
	// Phased reports whether an algorithm whose type has phases makes use of them with these
	// parameters. If not, no time is spent on a search for the next one. If it is nil, it does.
	Phased func(params map[string]reflect.Value) bool
	// Answer computes the answer from the outcome of a run: a slice with one element per
	// vertex. If it is nil, Outcome.Values is the answer.
	Answer func(out *Outcome) (any, error)
	// Summary says in a few words what an answer amounts to: "12 colours". If it is nil, runs
	// print only the range of the values.
	Summary func(answer any) string

	// Reference computes the answer on the CPU, as a slice of the answer's type. The answer
	// of a run must equal it; floats must be within Tolerance times the value of the
	// reference. It returns ctx's error if ctx is done.
	Reference func(ctx context.Context, in Input) (any, error)
	Tolerance float64 // relative, for floats, such as 1e-5; 0 requires equal values
	// Check replaces Reference if one tolerance for all values is not enough. It compares
	// an answer with a reference; out is the outcome from which Answer computed the answer.
	// The tolerance that it returns is nil if values must be equal.
	Check func(ctx context.Context, in Input, out *Outcome, answer any) (*graph.Tolerance, error)
}

// Input is the input of a run.
type Input struct {
	Graph  *graph.CSR               // as used by the run: with weights, or symmetric, if the algorithm needs that
	Source uint32                   // 0 if the algorithm has none
	Params map[string]reflect.Value // the type's scalar fields, by lower-case name
}

// Validate returns an error if a required field is missing or invalid.
func (h Host) Validate() error {
	if !plainName(h.Name) {
		return fmt.Errorf("algorithm %q: a name consists of lower-case letters, digits and hyphens", h.Name)
	}
	t := reflect.TypeOf(h.Device)
	switch {
	case t == nil || t.Kind() != reflect.Struct || t.Name() == "":
		return fmt.Errorf("algorithm %q: Device is %T; write a value of the algorithm's struct type, such as BFS{}", h.Name, h.Device)
	case h.Reference != nil && h.Check != nil:
		return fmt.Errorf("algorithm %q has a Reference and a Check; leave one out", h.Name)
	case h.Tolerance < 0 || h.Tolerance >= 1:
		return fmt.Errorf("algorithm %q: Tolerance is %v; write a part of the reference's value from 0 to below 1, such as 1e-5", h.Name, h.Tolerance)
	}
	return nil
}

// Checks reports whether answers can be checked.
func (h Host) Checks() bool { return h.Check != nil || h.Reference != nil }

// Judge compares an answer with the reference. The tolerance is nil if values must be
// equal. If values differ, the error is a *reference.Mismatch.
func (h Host) Judge(ctx context.Context, in Input, out *Outcome, answer any) (*graph.Tolerance, error) {
	if h.Check != nil {
		return h.Check(ctx, in, out, answer)
	}
	want, err := memo.Do(ctx, answerOf{h.Name, in.Graph, in.Source, in.settings()}, bytesOf, func() (any, error) { return h.Reference(ctx, in) })
	if err != nil {
		return nil, err
	}
	return reference.Compare(reference.Expected{Algorithm: h.Name, Value: h.Value, Graph: in.Graph, Values: want, Tolerance: h.Tolerance}, answer)
}

// settings returns the parameters as text, of which no two inputs with other values have the same.
func (in Input) settings() string {
	list := make(map[string]any, len(in.Params))
	for name, v := range in.Params {
		list[name] = v.Interface() // of a reflect.Value within a map, package fmt prints the type alone
	}
	return fmt.Sprintf("%#v", list)
}

// answerOf is the key of a Reference's answer that a memo keeps: of the runs of a sweep, the
// first computes it.
type answerOf struct {
	algorithm string
	graph     *graph.CSR
	source    uint32
	params    string
}

// bytesOf returns the size of an answer.
func bytesOf(answer any) uint64 {
	v := reflect.ValueOf(answer)
	if v.Kind() != reflect.Slice {
		return 0
	}
	return uint64(v.Len()) * uint64(v.Type().Elem().Size())
}
