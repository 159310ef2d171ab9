package launch

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// TestScalars checks that a kernel gets every kind of scalar as it was written,
// including the limits of its range.
func TestScalars(t *testing.T) {
	for _, c := range []struct {
		args string
		want []any
	}{
		{"b=true i8=-128 u8=255 i16=-32768 u16=65535 i32=-2147483648 u32=4294967295 i64=-9007199254740992 u64=9007199254740992 f32=0.5 f64=-2e300 level=7",
			[]any{1., -128., 255., -32768., 65535., -2147483648., 4294967295., -9007199254740992., 9007199254740992., 0.5, -2e300, 7.}},
		{"b=false i8=0x7f u8=0b11 i16=1_000 u16=i16*2 i32=-(3) u32=len(out) i64=u8-4 u64=i16/3-1 f32=i8 f64=inf level=2*u8+1", nil},
		{"b=false i8=0x7f u8=0b11 i16=1_000 u16=i16*2 i32=-3 u32=len(out) i64=u8-4 u64=i16/3-1 f32=i8 f64=7/2 level=2*u8+1",
			[]any{0., 127., 3., 1000., 2000., -3., 12., -1., 332., 127., 3., 7.}},
	} {
		args := append(strings.Fields(c.args), "out=zeros:12")
		if c.want == nil {
			_, err := prepare(t.Context(), t, "Scalars", args...)
			require.EqualError(t, err, `--arg i32=-(3): "(3)" is not a value`)
			continue
		}
		assert.Equal(t, c.want, values(t, launched(t, nil, "Scalars", args...), "out"))
	}
}

// TestContents checks each way to fill a buffer.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		return path
	}
	u8 := func(v ...uint8) (list []any) {
		for _, x := range v {
			list = append(list, x)
		}
		return list
	}
	for text, want := range map[string][]any{
		"zeros:3":                           u8(0, 0, 0),
		"ones:2":                            u8(1, 1),
		"fill:3:0x10":                       u8(16, 16, 16),
		"iota:4":                            u8(0, 1, 2, 3),
		"iota:3:5":                          u8(5, 6, 7),
		"iota:3:200:20":                     u8(200, 220, 240),
		"random:3:7:8":                      u8(7, 7, 7),
		"1,2,3":                             u8(1, 2, 3),
		"255,":                              u8(255),
		"zeros:0":                           {},
		"zeros:2*3-4/2-3":                   u8(0),
		"file:" + file("x.bin", "\x01\xff"): u8(1, 255),
		"file:" + file("x.txt", "1 2,3\n\n0x4\n"): u8(1, 2, 3, 4),
		"file:" + file("empty", ""):               {},
	} {
		j, err := prepare(t.Context(), t, "Bytes", "s="+text)
		require.NoError(t, err, text)
		d := j.buffers[0]
		got := []any{}
		for i := range d.units {
			got = append(got, d.leaf.elem.fields[0].kind.value(d.at(i, d.leaf.elem.fields[0])))
		}
		assert.Equal(t, want, got, text)
	}
}

// TestRandom checks that random contents depend on the seed and the name, and
// stay in their range.
func TestRandom(t *testing.T) {
	read := func(seed uint64, kernel, name string, args ...string) []float64 {
		j, err := prepare(t.Context(), t, kernel, args...)
		require.NoError(t, err)
		r, err := newResolver(t.Context(), kernel, j.Params, seed, j.Args, nil)
		require.NoError(t, err)
		require.NoError(t, r.resolve(name))
		d := r.data[name]
		var out []float64
		for i := range d.units {
			f := d.leaf.elem.fields[0]
			if bits := d.at(i, f); f.kind.isFloat() {
				out = append(out, f.kind.asFloat(bits))
			} else {
				out = append(out, float64(f.kind.signed(bits)))
			}
		}
		return out
	}
	rest := []string{"n=0", "out=nil", "threads=0", "x=random:100000", "y=random:1000:-2.5:1e3"}
	x, y := read(1, "Add", "x", rest...), read(1, "Add", "y", rest...)
	assert.Equal(t, x, read(1, "Add", "x", rest...))
	assert.NotEqual(t, x, read(2, "Add", "x", rest...))
	assert.NotEqual(t, x[:1000], read(1, "Add", "y", append(rest[:4:4], "y=random:1000")...))
	sum := 0.0
	for _, v := range x {
		require.True(t, v >= 0 && v < 1, v)
		sum += v
	}
	assert.InDelta(t, 0.5, sum/float64(len(x)), 0.01)
	for _, v := range y {
		require.True(t, v >= -2.5 && v < 1000, v)
	}
	seen := map[float64]bool{}
	for _, v := range read(1, "Bytes", "s", "s=random:10000") {
		seen[v] = true
	}
	assert.Len(t, seen, 256, "the whole range of the type")
	narrow := read(1, "Add", "x", "n=0", "out=nil", "threads=0", "y=nil", "x=random:1000:16777215:16777216")
	for _, v := range narrow {
		require.Less(t, v, 16777216.0, "rounding reaches no end")
	}
}

// TestForms checks structs, arrays, pointers, and slices of them.
func TestForms(t *testing.T) {
	r := launched(t, nil, "Points", "p=1,2,true,0,3,4,false,9", "by.X=0.5", "by.Y=-1", "by.On=true", "by.Tag=65535")
	assert.Equal(t, []any{[]any{float32(1.5), float32(1), true, uint16(65535)}, []any{float32(3), float32(4), false, uint16(9)}}, values(t, r, "p"))
	assert.Equal(t, 1, r.Buffers[0].Changed)
	assert.Equal(t, "p.X", r.Buffers[0].Fields[0].Name)
	assert.Equal(t, [][]string{{"index", "p.X", "p.Y", "p.On", "p.Tag"}, {"1", "3", "4", "false", "9"}}, r.Table(part(t, r, "p[1]")))

	r = launched(t, nil, "Points", "p=fill:1:1", "by=1,2,false,3")
	assert.Equal(t, []any{[]any{float32(2), float32(3), true, uint16(3)}}, values(t, r, "p"))

	r = launched(t, nil, "Packed", "p.N=100", "p.Data=5,", "p.Last=0", "p.At[0]=20", "p.At[1]=-3")
	assert.Equal(t, []any{uint32(122)}, values(t, r, "p.Last"))

	r = launched(t, nil, "Pairs", "p=1,2,3,4", "all=zeros")
	assert.Equal(t, []any{[]any{uint32(2), uint32(1)}, []any{uint32(4), uint32(3)}}, values(t, r, "p"))
	assert.Equal(t, []any{[]any{uint32(2), uint32(4), uint32(0), uint32(0)}}, values(t, r, "all"))
	assert.Equal(t, [][]string{{"index", "p"}, {"1,0", "4"}, {"1,1", "3"}}, r.Table(part(t, r, "p[1:]")))

	assert.Equal(t, []any{float32(2.5), float32(2.5)}, values(t, launched(t, nil, "Fill[float32]", "v=2.5", "out=zeros:2"), "out"))
}

func part(t *testing.T, r *Result, text string) Part {
	t.Helper()
	p, err := r.job.Part(text)
	require.NoError(t, err)
	return p
}

// TestConfiguration checks that dimensions, dynamic shared memory, constants
// and repeated launches reach the kernel.
func TestConfiguration(t *testing.T) {
	r := launched(t, func(q *Request) { q.Grid, q.Block = [3]int{2, 2, 1}, [3]int{2, 2, 1} }, "Places", "width=4", "out=zeros:16")
	assert.Equal(t, []any{uint32(1<<16 | 1)}, values(t, r, "out[15]"))

	r = launched(t, func(q *Request) { q.Shared = 4 * 32 }, "Reverse", "s=iota:64")
	assert.Equal(t, []any{uint32(31), uint32(30)}, values(t, r, "s[0:2]"))

	r = launched(t, func(q *Request) { q.Repeat = 3 }, "Bytes", "s=10,20")
	assert.Equal(t, []any{uint8(13), uint8(23)}, values(t, r, "s"), "each launch finds what the one before left")
	assert.Equal(t, 3, r.Launches)
	assert.Len(t, r.Each, 3)

	r = launched(t, nil, "Add", "bind n=4", "x=iota:4", "y=ones:len(x)", "out=zeros:n", "threads=0")
	assert.Equal(t, []any{float32(1), float32(2), float32(3), float32(4)}, values(t, r, "out"))
	assert.Equal(t, []any{uint32(64)}, values(t, r, "threads"))
	assert.True(t, r.Arguments[0].Bound)
	r = launched(t, nil, "Points", "p=ones:1", "bind by=1,2,true,3")
	assert.Equal(t, []any{[]any{float32(2), float32(3), true, uint16(3)}}, values(t, r, "p"))
}

// TestSave checks that saved buffers are read back unchanged, in both formats.
func TestSave(t *testing.T) {
	r := launched(t, nil, "Points", "p=1e-45,nan,true,0,-0,inf,false,65535", "by=0,0,false,7")
	for _, name := range []string{"p.bin", "p.txt"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := r.job.Save("p=" + path)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, r.Content(s)(&b))
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
		if name == "p.txt" {
			assert.Equal(t, "1e-45 NaN true 7\n-0 +Inf false 65535\n", b.String())
		}
		again, err := prepare(t.Context(), t, "Points", "p=file:"+path, "by=0,0,false,7")
		require.NoError(t, err)
		assert.Equal(t, []string{path}, again.Files())
		c := compareAll([]*Data{r.after[0]}, again.buffers, "the file", &Options{})
		assert.Zero(t, c.Differing)
		assert.Equal(t, 8, c.Numbers)
	}
	bools := filepath.Join(t.TempDir(), "bools")
	require.NoError(t, os.WriteFile(bools, []byte("\x00\x00\x80\x3f\x00\x00\x80\x3f\x42\x00\x00\x00"), 0o644))
	j, err := prepare(t.Context(), t, "Points", "p=file:"+bools, "by=0,0,false,7")
	require.NoError(t, err)
	assert.EqualValues(t, 1, j.buffers[0].bytes[8], "a bool in a file can be any byte")
}

// TestCompare checks that differing numbers are counted and the first ones
// shown, and that the tolerance is relative, but absolute for numbers below 1.
func TestCompare(t *testing.T) {
	j, err := prepare(t.Context(), t, "Clocks", "out=zeros:4", "sums=1000,0.5,nan,inf")
	require.NoError(t, err)
	r, err := j.Run(t.Context(), Options{Device: on(t, "sim:tiny"), Against: on(t, "func")})
	require.NoError(t, err)
	require.ErrorIs(t, r.Err(), ErrDiffer)
	assert.Equal(t, "out[0]", r.Comparison.Differences[0].Where)
	assert.Equal(t, fmt.Sprint(r.Comparison.Differences[0].Value), r.Comparison.Differences[0].Texts[0])
	assert.GreaterOrEqual(t, r.Comparison.Differing, 5, "the integers, and floats by less than 1e-4")
	r, err = j.Run(t.Context(), Options{Device: on(t, "sim:tiny"), Against: on(t, "func"), Tolerance: 1e-4})
	require.NoError(t, err)
	assert.Equal(t, 4, r.Comparison.Differing, "the integers")
	assert.Equal(t, "func", r.Comparison.Device)
	assert.Contains(t, r.Err().Error(), "the devices differ: sim:tiny and func disagree at ")

	f32 := j.buffers[1]
	at := func(v ...float32) *Data {
		d := newData(f32.leaf, len(v))
		copy(d.typed.([]float32), v)
		return d
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		a, b      float32
		tolerance float64
		differ    int
	}{
		{1, 1, 0, 0}, {1, 1.0000001, 0, 1}, {1, 1.0000001, 1e-6, 0}, {1e6, 1e6 + 1, 1e-5, 0}, {1e6, 1e6 + 100, 1e-5, 1}, {1e-9, -1e-9, 1e-8, 0},
		{nan, nan, 0, 0}, {nan, 1, 9, 1}, {inf, inf, 0, 0}, {inf, -inf, 9, 1}, {inf, 1, 9, 1}, {float32(math.Copysign(0, -1)), 0, 0, 0},
	} {
		got := compareAll([]*Data{at(c.a)}, []*Data{at(c.b)}, "x", &Options{Tolerance: c.tolerance})
		assert.Equal(t, c.differ, got.Differing, "%v", c)
	}
}

// TestFails checks that a launch that ends early has the results so far, and
// its error.
func TestFails(t *testing.T) {
	for _, c := range []struct {
		kernel, kind string
		is           any
		args         []string
	}{
		{"Spin", "hang", new(*device.HangError), []string{"word=0"}},
		{"Forever", "undecided", new(*device.UndecidedError), []string{"n=1000000000000", "out=0,"}},
		{"Outside", "fault", new(*device.Fault), []string{"i=5", "out=zeros:5"}},
	} {
		j, err := prepare(t.Context(), t, c.kernel, c.args...)
		require.NoError(t, err)
		r, err := j.Run(t.Context(), Options{Device: on(t, "func"), Against: on(t, "sim:tiny")})
		require.ErrorAs(t, err, c.is)
		require.NotNil(t, r)
		assert.Equal(t, c.kind, r.Error.Kind)
		assert.Nil(t, r.Comparison)
		assert.True(t, r.Left(), "the buffers can be read")
	}
	j, err := prepare(t.Context(), t, "Nothing")
	require.NoError(t, err)
	j.Block[0] = 2000
	_, err = j.Run(t.Context(), Options{Device: on(t, "func")})
	require.EqualError(t, err, "launch of Nothing: a block of 2000 threads; it may have 1 to 1024")
}

func TestTolerance(t *testing.T) {
	require.NoError(t, CheckTolerance(0))
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		require.Error(t, CheckTolerance(v))
	}
	require.False(t, errors.Is(CheckTolerance(-1), ErrDiffer))
}
