package oracle

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/second/host"
	"github.com/weft-gpu/weft/experiments/second/llvm"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/testing/difftest"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// Counts is what became of kernels.
type Counts struct {
	Equal   int            // ran, before and after Weft's optimiser, and left the memory that device func left
	Refused map[string]int // by the operation that package llvm does not have
	Badly   map[string]int // not run: kernels that are made to end with an error or never ("hang", "unwritten", "undefined")
}

// budget is how many warp instructions device func executes at most.
const budget = 1 << 26

// Corpus compares generated kernels. The program that device func runs is always the optimised one; clang compiles the SSA
// form before and after the optimiser. The first difference is an error.
func Corpus(ctx context.Context, clang *host.Device, kernels []generate.Kernel) (Counts, error) {
	counts := Counts{Refused: map[string]int{}, Badly: map[string]int{}}
	var compilers [2]*compile.Compiler
	for i := range compilers {
		var err error
		if compilers[i], err = difftest.Fresh(i == 1, kernels...); err != nil {
			return counts, err
		}
	}
	raw, optimised := compilers[0], compilers[1]
	for _, k := range kernels {
		if k.Ends != generate.Well {
			counts.Badly[string(k.Ends)]++
			continue
		}
		want, err := launch(ctx, function.New(function.Options{Budget: budget}), optimised, k)
		if err != nil {
			return counts, err
		}
		err = agree(ctx, clang, k, want, raw, optimised)
		var refused *llvm.Refused
		switch {
		case errors.As(err, &refused):
			counts.Refused[refused.Op]++
		case err != nil:
			return counts, err
		default:
			counts.Equal++
		}
	}
	return counts, nil
}

// agree runs a kernel on clang as several compilers have it.
func agree(ctx context.Context, clang *host.Device, k generate.Kernel, want *difftest.Data, compilers ...*compile.Compiler) error {
	for _, c := range compilers {
		form := "optimised"
		if c.NoOptimize {
			form = "not optimised"
		}
		got, err := launch(ctx, clang, c, k)
		if err != nil {
			return fmt.Errorf("kernel %s, %s: %w", k.Name, form, err)
		}
		if diff := difftest.Diff(want, got); diff != "" {
			return &Difference{k.Name, form, diff}
		}
	}
	return nil
}

// Difference is the error of a kernel for which func and clang disagree.
type Difference struct{ Kernel, Form, What string }

// Error says where they disagree.
func (d *Difference) Error() string {
	return fmt.Sprintf("kernel %s, %s: func and clang disagree: %s", d.Kernel, d.Form, d.What)
}

// launch runs a kernel of a compiler on the data of its seed.
func launch(ctx context.Context, d device.Device, c *compile.Compiler, k generate.Kernel) (*difftest.Data, error) {
	compiled, err := c.Kernel(ctx, "corpus."+k.Name, nil)
	if err != nil {
		return nil, err
	}
	data := difftest.NewData(k.Seed-1, k.Grid*k.Block)
	return data, difftest.On(d, device.Launch{Kernel: compiled, Grid: k.Grid, Block: k.Block}, data)
}
