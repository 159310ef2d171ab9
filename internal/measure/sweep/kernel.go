package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
)

// words are the words of a command line that launches the kernel, without weft.
func (k *kernelSettings) words() []string {
	words := []string{"launch", k.name, option.Grid.String(), k.grid, option.Block.String(), k.block}
	for _, a := range k.args {
		words = append(words, option.Arg.String(), a.Name+"="+a.Value)
	}
	for _, a := range k.bind {
		words = append(words, option.Bind.String(), a.Name+"="+a.Value)
	}
	for _, n := range []struct {
		option         *option.Option
		value, without uint64
	}{{option.Shared, k.shared, 0}, {option.Cluster, k.cluster, 0}, {option.Registers, k.registers, 0}, {option.Repeat, k.launches, 1}} {
		if n.value != n.without {
			words = append(words, n.option.String(), strconv.FormatUint(n.value, 10))
		}
	}
	if k.cooperative {
		words = append(words, option.Cooperative.String())
	}
	if k.compareWith != "" {
		words = append(words, option.CompareWith.String(), k.compareWith)
	}
	if k.tolerance != 0 {
		words = append(words, option.Tolerance.String(), strconv.FormatFloat(k.tolerance, 'g', -1, 64))
	}
	return words
}

// prepare compiles the kernel and evaluates its arguments.
func (p *planner) prepare(ctx context.Context, s *settings) (*launch.Job, error) {
	k := s.kernel
	c := p.catalog.Compiler()
	found, err := launch.Find(ctx, c, k.name, "warp")
	if err != nil {
		return nil, err
	}
	if found.Algorithm {
		return nil, fmt.Errorf("%s is an algorithm; write algorithm: %s", k.name, k.name)
	}
	q := launch.Request{Compiler: c, Kernel: found.Entry, Shown: k.name, Shared: int(k.shared), Cluster: int(k.cluster), Cooperative: k.cooperative, Registers: int(k.registers),
		Repeat: int(k.launches), Args: k.args, Bind: k.bind, Seed: s.options.Seed}
	if q.Grid, err = launch.Extents(k.grid); err != nil {
		return nil, err
	}
	if q.Block, err = launch.Extents(k.block); err != nil {
		return nil, err
	}
	what := jobOf{fmt.Sprintf("%q %q %q %d", k.name, k.args, k.bind, q.Seed)}
	j, err := memo.Do(ctx, what, (*launch.Job).Bytes, func() (*launch.Job, error) { return launch.Prepare(ctx, q) })
	if err != nil {
		return nil, err
	}
	return j.Shaped(q), nil
}

// jobOf is the key of a kernel with its arguments, which a memo keeps: points that differ in the grid, the
// block or the machine share it.
type jobOf struct{ text string }

// prepared is what identifies a launch besides its settings. Points that differ in the machine
// alone share it.
type prepared struct {
	kernel string   // hash of the IR
	files  []string // hashes of the files that are arguments
	random bool     // an argument depends on the seed
	shared uint64   // bytes of dynamic shared memory
}

// bytesOf returns the value of an expression for dynamic shared memory.
func bytesOf(j *launch.Job, text string) (uint64, error) {
	n, err := j.Integer(text)
	if err != nil {
		return 0, err
	}
	if n.Sign() < 0 || n.BitLen() > 31 {
		return 0, fmt.Errorf("%s is %v, which is not a number of bytes", text, n)
	}
	return n.Uint64(), nil
}

// launched completes the task of a point that launches a kernel.
func (p *planner) launched(ctx context.Context, t *Task) error {
	k, s := t.settings.kernel, t.settings
	if err := t.compared(); err != nil {
		return in(placeOf(t.Point, compareWith)+": "+compareWith, err)
	}
	shape := func() []any {
		what := []any{k.name, k.grid, k.block, k.shared, k.registers, k.launches, k.cooperative, k.args, k.bind}
		if k.cluster > 1 { // results of before there were clusters keep their key
			what = append(what, k.cluster)
		}
		return what
	}
	key := fmt.Sprintf("%q %d %q", shape(), s.options.Seed, k.sharedOf)
	found, ok := p.launches[key]
	if !ok {
		j, err := p.prepare(ctx, s)
		if err != nil {
			return launchError(t.Point, err)
		}
		sum := sha256.Sum256([]byte(ir.Compiled(j.Compiled()).Func.String()))
		found = &prepared{kernel: hex.EncodeToString(sum[:])[:16], random: j.Random(), shared: k.shared}
		if k.sharedOf != "" {
			if found.shared, err = bytesOf(j, k.sharedOf); err != nil {
				return in(placeOf(t.Point, "shared")+": shared", err)
			}
		}
		for _, file := range j.Files() {
			h, err := fileHash(ctx, file)
			if err != nil {
				return fmt.Errorf("%s: %w", placeOf(t.Point, "kernel"), err)
			}
			found.files = append(found.files, h)
		}
		p.launches[key] = found
	}
	t.kernels, k.shared = found.kernel, found.shared
	identity := map[string]any{
		"version": p.version, "launch": shape(), "kernels": t.kernels, "files": found.files,
		"device": t.device.Name, "machine": t.machine, "seed": p.seed(t, found.random), "budget": s.options.Budget,
	}
	if t.against != nil {
		_, machine := t.against.Machine()
		identity[compareWith] = []any{t.against.Name, machine, k.tolerance}
	}
	t.Key.Point = t.identity(identity)
	return nil
}

// compared makes the device with which the launch is compared, if there is one. Parameters of the machine
// are those of the point's own device alone.
func (t *Task) compared() (err error) {
	name := t.settings.kernel.compareWith
	if name == "" {
		return nil
	}
	if name == t.settings.device {
		return fmt.Errorf("cannot compare %s with itself", name)
	}
	if t.against, err = devices.New(name, devices.Options{Seed: t.settings.options.Seed}); err != nil {
		return err
	}
	return t.against.Single("a launch")
}

// launchError words an error of a launch for a specification, with the place of the argument that is wrong.
func launchError(pt spec.Point, err error) error {
	var argument *launch.ArgumentError
	if errors.As(err, &argument) {
		key := argument.Option.Key + argument.Name
		return in(placeOf(pt, key)+": "+key, argument.Reason)
	}
	return in(placeOf(pt, "kernel"), err)
}

// launchMetrics returns the numbers that the launches of a kernel measured.
func launchMetrics(r *launch.Result) []store.Metric {
	list := append(workMetrics(&r.Work, r.Kernel), verified(r.Comparison != nil && r.Comparison.Differing == 0))
	return append(list, store.Metric{Name: "launches", Unit: "launch", Meaning: "kernel launches", Value: float64(r.Launches)})
}
