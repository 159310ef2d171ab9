//go:build !kernel

package scheduler

// Tolerates reports whether the type has the method that makes it a Tolerant.
func (t Type) Tolerates() bool { return t.own("Near") }

// Tolerance reports whether a run with these parameters may leave out small changes.
func (t Type) Tolerance(params map[string]string) (bool, error) {
	if !t.Tolerates() {
		return false, nil
	}
	scalars, err := t.Scalars(params)
	if err != nil {
		return false, err
	}
	x, ok := scalars["tolerance"]
	return ok && !x.IsZero(), nil
}
