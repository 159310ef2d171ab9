//go:build !kernel

package scheduler

import (
	"fmt"
	"strings"
)

// Whether an algorithm can be pushed, pulled or both lies in which methods it
// has of its own and which ones it leaves to Min, Max and Add.

// own reports a method that does not come from Min, Max or Add.
func (t Type) own(method string) bool {
	from := t.From[method]
	return from != "" && !strings.HasPrefix(from, "scheduler.")
}

// Pushes says why a scheme that pushes cannot run the algorithm; nil where one
// can. An algorithm is written to be pulled alone where it decides by Apply what
// a vertex becomes and leaves to others what a push would ask for.
func (t Type) Pushes() error {
	if t.own("Apply") && !t.own("Take") && !t.own("Update") && !t.own("Active") {
		return fmt.Errorf("%s cannot be pushed: it has an Apply of its own, which only a pull calls, and no Take, Update or Active", t.Name)
	}
	return nil
}

// Pulls says why a scheme that pulls cannot run the algorithm; nil where one
// can. A pull computes updates from the values of vertices, again in each
// iteration: what Take makes of a value is lost, and updates that add up are
// added again, unless Apply knows.
func (t Type) Pulls() error {
	switch {
	case t.own("Apply"):
		return nil
	case t.own("Take") || t.own("Consumes"):
		return fmt.Errorf("%s cannot be pulled: it sends what Take gives, and a pull reads the values of vertices; an Apply of its own would say what becomes of them", t.Name)
	case t.From["Apply"] == "scheduler.Add":
		return fmt.Errorf("%s cannot be pulled: its updates add up, and a pull would add them again in each iteration; an Apply of its own would say what a vertex becomes", t.Name)
	}
	return nil
}
