//go:build !kernel

package bsp

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of the parameter direction.
const (
	auto = "auto"
	push = "push"
	pull = "pull"
)

// Block is the scheme that assigns each vertex to a block.
func Block() scheduler.Scheme {
	return scheme("block", "scheduler.BlockPerVertex", scheduler.OneBlock)
}

// Thread is the scheme that assigns each vertex to a thread.
func Thread() scheduler.Scheme {
	return scheme("thread", "scheduler.ThreadPerVertex", scheduler.OneThread)
}

// Warp is the scheme that assigns each vertex to a warp.
func Warp() scheduler.Scheme {
	return scheme("warp", "scheduler.WarpPerVertex", scheduler.OneWarp)
}

// scheme returns the bulk-synchronous scheme with a mapping of vertices to threads.
func scheme(team, mapping string, size scheduler.Team) scheduler.Scheme {
	pushing := func(a scheduler.Type) scheduler.EntryPoint {
		return entry("bsp.Push", "one push iteration", a, mapping)
	}
	pulling := func(a scheduler.Type) scheduler.EntryPoint {
		return entry("bsp.Pull", "one pull iteration", a, mapping)
	}
	return scheduler.Scheme{
		Name:    team,
		Doc:     "bulk-synchronous, one " + team + " per vertex",
		Sources: []gpu.Package{Sources},
		Params: []scheduler.Param{
			scheduler.BlockParam(),
			{Name: "direction", Type: scheduler.WordParam, Words: []string{auto, push, pull}, Default: auto,
				Doc: "push along outgoing arcs or pull along incoming ones; auto: push, unless the algorithm can only be pulled"},
			scheduler.MaxIterationsParam(),
		},
		Quantities: scheduler.FrontierQuantities(),
		WholeRows:  true,
		Takes: func(a scheduler.Type, p scheduler.Values) error {
			_, err := direction(a, p)
			return err
		},
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			var list []scheduler.EntryPoint
			if a.Pushes() == nil {
				list = append(list, pushing(a))
			}
			if pulls(a) == nil {
				list = append(list, pulling(a))
			}
			return append(append(list, scheduler.SetupKernels(a)...), scheduler.PhaseKernels(a)...)
		},
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			d, err := direction(j.Algorithm, j.Params)
			switch {
			case err != nil:
				return nil, err
			case d == pull:
				return scheduler.RunPull(ctx, j, pulling(j.Algorithm), size)
			}
			return scheduler.RunPush(ctx, j, pushing(j.Algorithm), size)
		},
	}
}

// entry returns the entry point of a kernel of this package for an algorithm.
func entry(kernel, what string, a scheduler.Type, mapping string) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("%s[%s, %s, %s]", kernel, a.Name, mapping, a.Value), What: what}
}

// direction returns push or pull: the requested direction, if the algorithm supports it.
func direction(a scheduler.Type, p scheduler.Values) (string, error) {
	switch d := p.Word("direction"); d {
	case push:
		return push, a.Pushes()
	case pull:
		return pull, pulls(a)
	}
	if a.Pushes() == nil {
		return push, nil
	}
	return pull, pulls(a)
}

// pulls returns nil if the scheme can pull the algorithm, which it does without phases.
func pulls(a scheduler.Type) error {
	if err := a.Unphased(); err != nil {
		return fmt.Errorf("%w in this direction", err)
	}
	return a.Pulls()
}
