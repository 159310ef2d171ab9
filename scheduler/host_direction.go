//go:build !kernel

package scheduler

import (
	"fmt"
	"strings"
)

// Whether an algorithm can be pushed, pulled or both follows from the methods that it
// defines itself rather than inheriting them from Min, Max or Add.

// own reports whether the type defines the method itself.
func (t Type) own(method string) bool {
	from := t.From[method]
	return from != "" && !strings.HasPrefix(from, "scheduler.")
}

// OwnTake reports whether the type defines Take or Consumes itself, so that what a vertex sends
// may be more than its value, and taking it may modify the vertex.
func (t Type) OwnTake() bool { return t.own("Take") || t.own("Consumes") }

// Consumes reports whether the type defines Consumes itself, so that taking what a vertex sends may modify the vertex.
func (t Type) Consumes() bool { return t.own("Consumes") }

// Turns reports whether the type defines Turn itself, so that values must be converted before
// the first pull, and at each change of direction.
func (t Type) Turns() bool { return t.own("Turn") }

// Reverses reports whether the type defines Reverse itself, so that a phase may traverse the
// transpose of the graph.
func (t Type) Reverses() bool { return t.own("Reverse") }

// Enters reports whether the type defines Enter itself, so that a phase may begin with other values and arrays than those with which
// the one before it ended.
func (t Type) Enters() bool { return t.own("Enter") }

// Counts reports whether the type defines Counts itself: two updates to a vertex do not combine to one, since it counts them.
func (t Type) Counts() bool { return t.own("Counts") }

// Pushes returns nil if push schemes can run the algorithm; otherwise the error says why
// not. An algorithm is pull-only if it defines Apply and none of the methods that only a
// push scheme calls.
func (t Type) Pushes() error {
	if t.own("Apply") && !t.own("Take") && !t.own("Update") && !t.own("Active") {
		return fmt.Errorf("%s cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active", t.Name)
	}
	return nil
}

// Pulls returns nil if pull schemes can run the algorithm; otherwise the error says why
// not. A pull scheme recomputes the updates from the values of the vertices in each
// iteration. What Take computes from a value is therefore lost, and updates that add up
// would be added again, unless the algorithm defines Apply.
func (t Type) Pulls() error {
	switch {
	case t.own("Apply"):
		return nil
	case t.OwnTake():
		return fmt.Errorf("%s cannot be pulled: it sends the result of Take, but a pull scheme reads the values of vertices; define %s to compute the next value", t.Name, t.apply())
	case t.From["Apply"] == "scheduler.Add":
		return fmt.Errorf("%s cannot be pulled: its updates add up, and a pull scheme would add them again in each iteration; define %s to compute the next value", t.Name, t.apply())
	}
	return nil
}

// PullsInPhases reports whether a scheme that pulls may run the phases of the algorithm, if it
// has any: the answer does not depend on them, or the type says which vertices give in a
// phase. Gives says nothing about a phase that traverses arcs in reverse, or that changes the
// values of vertices as it begins.
func (t Type) PullsInPhases() bool {
	return !t.Phased || t.Unordered || t.own("Gives") && !t.own("Reverse") && !t.own("Enter")
}

// Scatters reports whether an algorithm that can only be pulled can be pushed all the same,
// by a scheme in which every vertex sends in every iteration: what arrives at a vertex is
// combined beside its value, by an atomic that belongs to Combine, and then applied.
func (t Type) Scatters() bool {
	inherited := func(method string) bool { return strings.HasPrefix(t.From[method], "scheduler.") }
	return t.Pushes() != nil && t.Pulls() == nil && !t.Phased && inherited("Combine") && inherited("Update")
}

// apply is the signature of the method that a type needs to be pulled.
func (t Type) apply() string {
	return fmt.Sprintf("Apply(v scheduler.Vertex, old, gathered %[1]v) (value %[1]v, changed bool)", t.Value)
}

// Idempotent reports whether an update that arrives twice has the effect of one: Combine is
// that of Min or Max.
func (t Type) Idempotent() bool {
	return t.From["Combine"] == "scheduler.Min" || t.From["Combine"] == "scheduler.Max"
}

// EndsEarly reports whether the type defines EarlyEnd itself, so that a pull may end at an update that settles a vertex.
func (t Type) EndsEarly() bool { return t.own("EarlyEnd") }

// Unphased returns nil if a scheme without phases can run the algorithm; otherwise the error
// says why not.
func (t Type) Unphased() error {
	if t.Phased && !t.Unordered {
		return fmt.Errorf("%s runs in phases, which the scheduler does not have", t.Name)
	}
	return nil
}
