package launch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
)

// prepare prepares a launch of one of the kernels in testdata. Each text of
// args is NAME=VALUE; one that begins with "bind " binds a constant.
func prepare(ctx context.Context, t testing.TB, kernel string, args ...string) (*Job, error) {
	t.Helper()
	return prepareAt(ctx, t, "testdata/forms", kernel, args...)
}

func prepareAt(ctx context.Context, t testing.TB, dir, kernel string, args ...string) (*Job, error) {
	t.Helper()
	c, err := catalog.Kernels()
	require.NoError(t, err)
	at, err := catalog.Mount(dir)
	require.NoError(t, err)
	q := Request{Compiler: c, Kernel: at + "." + kernel, Shown: kernel, Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}, Seed: 1}
	var bind, arg []string
	for _, a := range args {
		if text, ok := strings.CutPrefix(a, "bind "); ok {
			bind = append(bind, text)
		} else {
			arg = append(arg, a)
		}
	}
	if q.Args, err = ParseAssignments(option.Arg, arg); err != nil {
		return nil, err
	}
	if q.Bind, err = ParseAssignments(option.Bind, bind); err != nil {
		return nil, err
	}
	return Prepare(ctx, q)
}

// home is the folder of this test.
var home, _ = os.Getwd()

// prepareIn is prepare in another folder than that of the test.
func prepareIn(ctx context.Context, t testing.TB, kernel string, args ...string) (*Job, error) {
	t.Helper()
	return prepareAt(ctx, t, filepath.Join(home, "testdata/forms"), kernel, args...)
}

// on opens a device by name.
func on(t testing.TB, name string) *devices.Spec {
	t.Helper()
	spec, err := devices.New(name, devices.Options{Seed: 1, Budget: 1_000_000})
	require.NoError(t, err)
	return spec
}

// launched launches a kernel on func.
func launched(t *testing.T, change func(*Request), kernel string, args ...string) *Result {
	t.Helper()
	j, err := prepare(t.Context(), t, kernel, args...)
	require.NoError(t, err)
	if change != nil {
		change(&j.Request)
	}
	r, err := j.Run(t.Context(), Options{Device: on(t, "func")})
	require.NoError(t, err)
	return r
}

// values returns the numbers of a buffer after the launch.
func values(t *testing.T, r *Result, buffer string) []any {
	t.Helper()
	p, err := r.job.Part(buffer)
	require.NoError(t, err)
	r.Keep(p)
	return r.Buffers[p.buffer].Values
}
