package remedy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
	"github.com/weft-gpu/weft/internal/function"
)

const source = `package k

import "github.com/weft-gpu/weft/gpu"

func Wait(t gpu.Thread, flag, out []uint32) {
	if t.Idx() == 0 {
		gpu.Store(&flag[0], 1)
		gpu.Store(&flag[0], 0)
	}
	t.Sync()
	for gpu.Load(&flag[0]) == 0 {
	}
	out[t.Global()] = 7
}
`

func kernel(t *testing.T) *device.Kernel {
	c := compile.New()
	c.Mount("k", fstest.MapFS{"k.go": {Data: []byte(source)}})
	k, err := c.Kernel(context.Background(), "k.Wait", nil)
	require.NoError(t, err)
	return k
}

// runs launches on func from zeros, and says whether the kernel hangs.
func runs(t *testing.T, out *[]uint32) remedy.Run {
	return func(ctx context.Context, l device.Launch) (string, error) {
		d := function.New(function.Options{})
		defer d.Close()
		l.Args = nil
		var bufs []device.Buffer
		for _, n := range []int{1, l.Grid * l.Block} {
			b, err := d.Alloc("b", device.U32, n)
			require.NoError(t, err)
			require.NoError(t, d.Write(b, make([]uint32, n)))
			bufs, l.Args = append(bufs, b), append(l.Args, b)
		}
		_, err := d.Launch(ctx, l)
		var hang *device.HangError
		if errors.As(err, &hang) {
			return hang.Kind.String(), nil
		}
		*out = make([]uint32, l.Grid*l.Block)
		require.NoError(t, d.Read(bufs[1], *out))
		return "", err
	}
}

// stores returns the instructions that store.
func stores(p *ir.Program) (list []int32) {
	for pc := range p.Code {
		if p.Code[pc].Op == ir.OpStore {
			list = append(list, int32(pc))
		}
	}
	return list
}

// TestTry checks that a change is applied, and that the verdict is that of the changed launch: a program that hangs ends
// without the store that takes its signal back, and hangs without another one.
func TestTry(t *testing.T) {
	l := device.Launch{Kernel: kernel(t), Grid: 2, Block: 64}
	p := ir.Compiled(l.Kernel).Program
	text := p.String()
	at := stores(p)
	require.Len(t, at, 3)
	var out []uint32
	without := func(pc int32) remedy.Change {
		return remedy.Change{What: "without", Program: func(p *ir.Program) (*ir.Program, error) { return remedy.NewEdit(p).Delete(pc).Program() }}
	}
	assert.Equal(t, remedy.Verdict{Wrong: "hang"}, remedy.Try(context.Background(), l, remedy.Change{}, runs(t, &out)))
	assert.Equal(t, remedy.Verdict{Wrong: "hang"}, remedy.Try(context.Background(), l, without(at[0]), runs(t, &out)))
	assert.Equal(t, remedy.Verdict{Helps: true}, remedy.Try(context.Background(), l, without(at[1]), runs(t, &out)))
	assert.Equal(t, uint32(7), out[127])
	assert.Equal(t, text, p.String(), "the original has changed")

	// Another value in place of the 0, then the same by a store that is inserted behind it.
	one := remedy.Change{Program: func(p *ir.Program) (*ir.Program, error) {
		e := remedy.NewEdit(p)
		return e.Source(at[1], 1, e.Constant(ir.U32, 5)).Program()
	}}
	assert.True(t, remedy.Try(context.Background(), l, one, runs(t, &out)).Helps)
	again := remedy.Change{Program: func(p *ir.Program) (*ir.Program, error) {
		return remedy.NewEdit(p).After(at[1], p.Code[at[0]]).Program()
	}}
	assert.True(t, remedy.Try(context.Background(), l, again, runs(t, &out)).Helps)
	front := remedy.Change{Program: func(p *ir.Program) (*ir.Program, error) {
		return remedy.NewEdit(p).Before(at[1], p.Code[at[0]]).Program()
	}}
	assert.False(t, remedy.Try(context.Background(), l, front, runs(t, &out)).Helps)
	grid := remedy.Change{Launch: func(l *device.Launch) { l.Grid = 1 }}
	changed, err := remedy.Apply(l, grid)
	require.NoError(t, err)
	assert.Equal(t, 1, changed.Grid)
	assert.Equal(t, 2, l.Grid)
}

// TestEdit checks orders and scopes, jumps over what is inserted, and mistakes.
func TestEdit(t *testing.T) {
	p := ir.Compiled(kernel(t)).Program
	at := stores(p)
	q, err := remedy.NewEdit(p).Order(at[2], ir.Release).Scope(at[0], ir.ScopeSystem).Program()
	require.NoError(t, err)
	assert.Equal(t, ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Global, Order: ir.Release, Scope: ir.ScopeDevice}, q.Code[at[2]].Mem)
	assert.Equal(t, ir.ScopeSystem, q.Code[at[0]].Mem.Scope)
	for pc := range p.Code {
		if in := &p.Code[pc]; in.Op == ir.OpBra && in.Target <= int32(pc) { // the loop
			nop := p.Code[at[0]]
			q, err := remedy.NewEdit(p).Before(in.Target, nop, nop).Program()
			require.NoError(t, err)
			assert.Equal(t, in.Target, q.Code[pc+2].Target, "the jump comes to what is inserted")
			q, err = remedy.NewEdit(p).After(in.Target-1, nop, nop).Program()
			require.NoError(t, err)
			assert.Equal(t, in.Target+2, q.Code[pc+2].Target, "the jump does not come to what is inserted")
		}
	}
	end := int32(len(p.Code))
	for text, e := range map[string]*remedy.Edit{
		"there is no instruction 99":                 remedy.NewEdit(p).Delete(99),
		"there is no instruction -1":                 remedy.NewEdit(p).Order(-1, ir.Acquire),
		"nothing comes after instruction 999 (exit)": remedy.NewEdit(p).After(end-1, p.Code[0]),
		"instruction 999 (exit) has no operand 3":    remedy.NewEdit(p).Source(end-1, 3, 0),
		"instruction 999 (exit) has no order":        remedy.NewEdit(p).Order(end-1, ir.Acquire).Delete(77),
		"instruction 999 (exit) has no scope":        remedy.NewEdit(p).Scope(end-1, ir.ScopeDevice),
	} {
		_, err := e.Program()
		require.Error(t, err)
		assert.EqualError(t, err, strings.ReplaceAll(text, "999", fmt.Sprint(end-1)))
	}
	_, err = remedy.Apply(device.Launch{}, remedy.Change{Program: func(p *ir.Program) (*ir.Program, error) { return p, nil }})
	assert.EqualError(t, err, "the kernel has no program to change")
}
