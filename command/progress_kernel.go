package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/kernel"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
)

// progressKernel holds the flags of `weft progress KERNEL`.
type progressKernel struct {
	grid, block string
	shared      int
	cluster     int
	args, bind  []string
	threads     string
}

func (o *progressKernel) register(cmd *cobra.Command) {
	flag(cmd, &o.grid, option.Grid)
	flag(cmd, &o.block, option.Block)
	flag(cmd, &o.shared, option.Shared)
	flag(cmd, &o.cluster, option.Cluster)
	flag(cmd, &o.args, option.Arg)
	flag(cmd, &o.bind, option.Bind)
	flag(cmd, &o.threads, option.Threads)
}

// kernelFlags are those that go with a kernel only.
var kernelFlags = []string{"grid", "block", "shared", "cluster", "arg", "bind", "threads"}

// kernelSystem returns a launch of a kernel as a program.
func (a *app) kernelSystem(ctx context.Context, name string, o *progressOptions) (*kernel.System, error) {
	switch {
	case o.grid == "" || o.block == "":
		return nil, usage.Errorf("such as --grid 4 --block 1", "a kernel needs --grid and --block")
	case o.run || o.expect != "":
		return nil, usage.Errorf("run a kernel by weft launch", "--run and --expect are for litmus tests")
	}
	as := kernel.As(o.threads)
	if as != kernel.Blocks && as != kernel.Warps && as != kernel.Lanes {
		return nil, usage.Unknown("value of --threads", o.threads, []string{string(kernel.Blocks), string(kernel.Warps), string(kernel.Lanes)}, "")
	}
	q, err := launchRequest(name, o.grid, o.block, o.args, o.bind)
	if err != nil {
		return nil, err
	}
	q.Shared, q.Cluster, q.Seed = o.shared, o.cluster, o.seed
	kernels, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	q.Compiler = kernels
	found, err := launch.Find(ctx, kernels, name, "warp")
	switch {
	case err != nil:
		return nil, err
	case found.Algorithm:
		return nil, usage.Errorf("name one of its kernels; \"weft list kernels\"", "%s is an algorithm, and weft progress explores kernels", name)
	}
	q.Kernel = found.Entry
	job, err := launch.Prepare(ctx, q)
	if err != nil {
		if launch.IsInstance(name) && !isUsage(err) && !signals.Ended(err) {
			err = launch.InstanceError(name, err)
		}
		return nil, err
	}
	mem := simt.NewMemory(0)
	l, err := job.Bind(function.New(function.Options{Memory: mem, AllowUnwritten: true}))
	if err != nil {
		return nil, err
	}
	sys, err := kernel.New(mem, l, as)
	if arg := new(device.ArgError); errors.As(err, &arg) {
		return nil, usage.Errorf("", "launch of %s: %s", name, arg.What)
	}
	return sys, err
}

// mayHangError reports a kernel that may hang under a model that the user named.
type mayHangError struct{ kernel, model string }

func (e *mayHangError) Error() string {
	return fmt.Sprintf("%s may hang under %s", e.kernel, e.model)
}

// hangsUnder returns the error for a kernel that may hang under one of the
// models; nil if there is none.
func hangsUnder(results []*progress.Result) error {
	for _, r := range results {
		if r.Verdict == progress.MayHang {
			return &mayHangError{r.Test, r.Model}
		}
	}
	return nil
}

// onlyLitmus rejects flags of kernels.
func (o *progressOptions) onlyLitmus() error {
	for _, name := range kernelFlags {
		if o.changed(name) {
			return usage.Errorf("a kernel needs --grid and --block", "--%s goes with a kernel only", name)
		}
	}
	return nil
}
