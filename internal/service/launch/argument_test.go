package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// add returns the arguments of Add, without those that are given.
func add(given ...string) []string {
	all := []string{"n=4", "x=zeros:n", "y=zeros:n", "out=zeros:n", "threads=0"}
	for _, g := range given {
		name, _, _ := strings.Cut(strings.TrimPrefix(g, "bind "), "=")
		for i, a := range all {
			if strings.HasPrefix(a, name+"=") {
				all = append(all[:i:i], all[i+1:]...)
				break
			}
		}
	}
	return append(given, all...)
}

// TestMistakes checks the exact message and hint for each mistake in an
// argument.
func TestMistakes(t *testing.T) {
	t.Chdir(files(t))
	for _, c := range []struct {
		kernel     string
		args       []string
		want, hint string
	}{
		{"Add", []string{"n=4", "x=zeros:n", "y=zeros:n", "threads=0"}, "kernel Add needs an argument for out []float32", "such as --arg out=zeros:1024"},
		{"Add", nil, "kernel Add needs arguments for n uint32, x []float32, y []float32, out []float32, threads *uint32",
			"such as --arg n=1024 --arg x=zeros:1024 --arg y=zeros:1024 --arg out=zeros:1024 --arg threads=zeros"},
		{"Packed", nil, "kernel Packed needs arguments for p.N uint32, p.Data []uint32, p.Last *uint32, p.At[0] int16, p.At[1] int16",
			"such as --arg p.N=1024 --arg p.Data=zeros:1024 --arg p.Last=zeros --arg 'p.At[0]=1024' --arg 'p.At[1]=1024'"},
		{"Scalars", []string{"out=zeros:12"}, "kernel Scalars needs arguments for b bool, i8 int8, u8 uint8, i16 int16, u16 uint16, i32 int32, u32 uint32, i64 int64, ...",
			"such as --arg b=true --arg i8=100 --arg u8=100 --arg i16=1024 --arg u16=1024 --arg i32=1024 --arg u32=1024 --arg i64=1024"},
		{"Add", add("quantity=4"), `--arg: unknown parameter "quantity" of kernel Add`, "there are: n, out, threads, x, y"},
		{"Add", add("thraeds=4"), `--arg: unknown parameter "thraeds" of kernel Add`, "did you mean threads?\nthere are: n, out, threads, x, y"},
		{"Nothing", []string{"n=4"}, `--arg: unknown parameter "n": kernel Nothing takes none`, ""},
		{"Add", add("n=4", "n=5"), "--arg: n is given twice", ""},
		{"Add", append(add("n=4"), "bind n=5"), "--bind and --arg: n is given twice", ""},
		{"Points", []string{"p=nil", "by=1,2,true,3", "by.X=1"}, "--arg: by.X is given twice", ""},
		{"Add", add("n"), `--arg: "n" is not NAME=VALUE`, "write --arg NAME=VALUE, such as --arg n=1024"},
		{"Add", add("n="), `--arg: "n=" is not NAME=VALUE`, "write --arg NAME=VALUE, such as --arg n=1024"},
		{"Add", add("bind =4"), `--bind: "=4" is not NAME=VALUE`, "write --bind NAME=VALUE, such as --bind n=1024"},

		{"Add", add("n=-1"), "--arg n=-1: -1 is out of range of uint32 (0 to 4294967295)", ""},
		{"Add", add("n=4294967296"), "--arg n=4294967296: 4294967296 is out of range of uint32 (0 to 4294967295)", ""},
		{"Bytes", []string{"s=300,"}, "--arg s=300,: s[0]: 300 is out of range of uint8 (0 to 255)", ""},
		{"Bytes", []string{"s=fill:2:300"}, "--arg s=fill:2:300: 300 is out of range of uint8 (0 to 255)", ""},
		{"Bytes", []string{"s=iota:257"}, "--arg s=iota:257: the last element: 256 is out of range of uint8 (0 to 255)", ""},
		{"Bytes", []string{"s=random:4:0:300"}, "--arg s=random:4:0:300: 300 is out of range of uint8 (0 to 255)", ""},
		{"Bytes", []string{"s=random:4:9:9"}, "--arg s=random:4:9:9: there is no number from 9 up to, but without, 9", ""},
		{"Add", add("x=random:4:1:0.5"), "--arg x=random:4:1:0.5: there is no number from 1 up to, but without, 0.5", ""},
		{"Add", add("x=random:4:nan:1"), "--arg x=random:4:nan:1: there is no number from nan up to, but without, 1", ""},
		{"Add", add("n=1.5"), `--arg n=1.5: "1.5" is not a uint32, such as 1024 or 0x400`, ""},
		{"Add", add("n=thread"), `--arg n=thread: "thread" is not a uint32, such as 1024 or 0x400`, "did you mean threads?"},
		{"Add", add("n=0x"), `--arg n=0x: "0x" is not a uint32, such as 1024 or 0x400`, ""},
		{"Add", add("n=x"), "--arg n=x: x is a slice; len(x) is its length", ""},
		{"Add", add("n=zeros:4"), "--arg n=zeros:4: n is a uint32, not a slice", "write --arg n=1024"},
		{"Add", add("n=1,2"), "--arg n=1,2: n is a uint32, not a slice", "write --arg n=1024"},
		{"Add", add("n=len(y)", "y=zeros:n"), "--arg n=len(y): n depends on itself", ""},
		{"Add", add("n=n+1"), "--arg n=n+1: n depends on itself", ""},
		{"Add", add("n=4/0"), "--arg n=4/0: division by zero", ""},
		{"Add", add("n=4*"), "--arg n=4*: a value is missing at the end", ""},
		{"Add", add("n=4+ +"), `--arg n=4+ +: "+" is not a value`, ""},
		{"Add", add("n=4 5*2"), `--arg n=4 5*2: "5*2" is left over after a value; + - * and / compute with integers`, ""},
		{"Add", add("n=1.5*2"), `--arg n=1.5*2: "1.5" is not an integer`, ""},
		{"Add", add("n=--4"), "--arg n=--4: two signs follow each other", ""},
		{"Add", add("n=len(x"), "--arg n=len(x: write len(NAME), such as len(x)", ""},
		{"Add", add("n=len(n)"), "--arg n=len(n): n is a uint32, which has no length", ""},
		{"Add", add("n=2*quantity"), `--arg n=2*quantity: "quantity" is not a parameter of kernel Add`, ""},
		{"Add", add("n=" + strings.Repeat("9", 90) + "*1"), "--arg n=" + strings.Repeat("9", 90) + `*1: "` + strings.Repeat("9", 90) + `" is not an integer`, ""},
		{"Add", add("n=" + strings.Repeat("0xffffffffffffffff*", 5) + "1"), "--arg n=" + strings.Repeat("0xffffffffffffffff*", 5) + "1: a product is far out of range", ""},
		{"Fill[float32]", []string{"v=half", "out=nil"}, `--arg v=half: "half" is not a float32, such as 0.5, -2e3, inf or nan`, ""},
		{"Fill[float32]", []string{"v=1e+", "out=nil"}, `--arg v=1e+: "1e+" is not a float32, such as 0.5, -2e3, inf or nan`, ""},
		{"Fill[float32]", []string{"v=1e39", "out=nil"}, "--arg v=1e39: 1e+39 is out of range of float32 (at most 3.4028234663852886e+38)", ""},
		{"Fill[float32]", []string{"v=1e999", "out=nil"}, "--arg v=1e999: 1e999 is out of range of float32", ""},
		{"Points", []string{"p=1,2,yes,4", "by=0,0,true,0"}, `--arg p=1,2,yes,4: p[0].On: "yes" is not true or false`, ""},
		{"Points", []string{"p=1,2,true", "by=0,0,true,0"}, "--arg p=1,2,true: 3 values, and an element of p has 4", ""},
		{"Points", []string{"p=iota:4", "by=0,0,true,0"}, "--arg p=iota:4: iota counts, and p.On is a bool", ""},
		{"Points", []string{"p=random:4:0:1", "by=0,0,true,0"}, "--arg p=random:4:0:1: p.On is a bool, which has no range", ""},
		{"Points", []string{"p=nil", "by=1,2"}, "--arg by=1,2: 2 values for the 4 parts of by forms.Point: by.X, by.Y, by.On, by.Tag", "give a value for each, with commas between them, or one by one, such as --arg by.X=0.5"},
		{"Packed", []string{"p=1"}, "--arg p=1: p forms.Pack has the parts p.N, p.Data, p.Last, p.At[0], p.At[1]", "give them by themselves, such as --arg p.N=1024"},

		{"Add", add("x=1024"), "--arg x=1024: x is a slice, []float32", "write x=zeros:1024 for so many zero elements, or x=1024, for this one element"},
		{"Add", add("x=zeros"), "--arg x=zeros: write zeros:N, such as zeros:1024", ""},
		{"Add", add("x=zeros:"), "--arg x=zeros:: write zeros:N", ""},
		{"Add", add("x=zeros:4:5"), "--arg x=zeros:4:5: write zeros:N", ""},
		{"Add", add("x=fill:4"), "--arg x=fill:4: write fill:N:V", ""},
		{"Add", add("x=random:4:0"), "--arg x=random:4:0: write random:N or random:N:A:B", ""},
		{"Add", add("x=zeroes:4"), `--arg x=zeroes:4: unknown contents "zeroes"`, "did you mean zeros?\nthere are: file, fill, iota, nil, ones, random, zeros"},
		{"Add", add("x=1,,2"), "--arg x=1,,2: element 1 of the list is empty", ""},
		{"Add", add("x=zeros:-1"), "--arg x=zeros:-1: -1 elements; a slice has at least 0", ""},
		{"Add", add("x=zeros:n-5"), "--arg x=zeros:n-5: -1 elements; a slice has at least 0", ""},
		{"Add", add("x=zeros:4294967296"), "--arg x=zeros:4294967296: 4294967296 elements; a kernel takes fewer than 2^32", ""},
		{"Add", add("x=zeros:1e3"), `--arg x=zeros:1e3: "1e3" is not an integer`, ""},
		{"Add", add("threads=zeros:0"), "--arg threads=zeros:0: threads is a pointer: it needs at least one element", ""},
		{"Add", add("threads=-1"), "--arg threads=-1: threads: -1 is out of range of uint32 (0 to 4294967295)", ""},
		{"Scalars", []string{"f32=1", "i8=f32*2"}, "kernel Scalars needs arguments for out []float64, b bool, u8 uint8, i16 int16, u16 uint16, i32 int32, u32 uint32, i64 int64, ...",
			"such as --arg out=zeros:1024 --arg b=true --arg u8=100 --arg i16=1024 --arg u16=1024 --arg i32=1024 --arg u32=1024 --arg i64=1024"},
		{"Scalars", strings.Fields("out=zeros:f64 b=true i8=0 u8=0 i16=0 u16=0 i32=0 u32=0 i64=0 u64=0 f32=0 f64=8 level=0"), "--arg out=zeros:f64: f64 is a float64; expressions can use only integers", ""},

		{"Add", add("bind x=zeros:4"), "--bind x=zeros:4: x is a slice, and only numbers and bools can be constants", "write --arg x=zeros:1024"},
		{"Points", []string{"p=nil", "bind by.X=1", "by.Y=1", "by.On=true", "by.Tag=1"}, "--bind: by.X is bound, and by.Y, by.On, by.Tag of the same parameter are not", ""},
		{"Add", add("bind n=many"), `--bind n=many: "many" is not a uint32, such as 1024 or 0x400`, ""},
		{"Add", add("bind quantity=1"), `--bind: unknown parameter "quantity" of kernel Add`, "there are: n, out, threads, x, y"},

		{"Add", add("x=file:none.bin"), "--arg x=file:none.bin: no such file or directory", "-"},
		{"Add", add("x=file:."), "--arg x=file:.: is a directory", "-"},
		{"Add", add("x=file:three.bin"), "--arg x=file:three.bin: 3 bytes, and an element of x has 4", "-"},
		{"Add", add("x=file:words.txt"), `--arg x=file:words.txt: line 2: "two" is not a float32, such as 0.5, -2e3, inf or nan`, "-"},
		{"Pairs", []string{"p=file:three.txt", "all=zeros"}, "--arg p=file:three.txt: 3 numbers, and an element of p has 2", "-"},
		{"Add", add("threads=file:empty.txt"), "--arg threads=file:empty.txt: 0 numbers, and an element of threads has 1", "-"},
		{"Add", add("threads=file:empty.bin"), "--arg threads=file:empty.bin: threads is a pointer: it needs at least one element", "-"},
	} {
		_, err := prepareIn(t.Context(), t, c.kernel, c.args...)
		require.EqualError(t, err, c.want)
		var mistake *usage.Error
		if c.hint == "-" {
			assert.False(t, errors.As(err, &mistake), "a file is no mistake in the command line: %v", err)
			continue
		}
		require.ErrorAs(t, err, &mistake, c.want)
		assert.Equal(t, c.hint, mistake.Hint.String(), c.want)
	}
}

// files returns a folder with files that arguments name.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"three.bin": "abc", "words.txt": "1\ntwo\n", "three.txt": "1 2 3", "empty.txt": " \n", "empty.bin": "",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return dir
}

// TestTooLarge checks that arguments that do not fit in memory are rejected
// before they are allocated.
func TestTooLarge(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(4 << 30))
	for _, text := range []string{"out=zeros:4000000000", "out=zeros:2000000000", "out=zeros:n*1000000000"} {
		_, err := prepare(t.Context(), t, "Forever", "n=4", text)
		var large *memory.Error
		require.ErrorAs(t, err, &large)
		assert.Regexp(t, `^--arg out=zeros:.*: the argument needs .* of memory, and .* are available$`, err.Error())
		var mistake *usage.Error
		assert.False(t, errors.As(err, &mistake), "it may fit another machine")
	}
}

// TestSelect checks what --print and --save reject.
func TestSelect(t *testing.T) {
	j, err := prepare(t.Context(), t, "Add", add("x=zeros:4")...)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"z": `--print: unknown buffer "z"`, "x[4]": "--print: x[4] is out of range of x, which has 4 elements", "x[a]": `--print: "a" is not an index`,
		"x[3:2]": "--print: x[3:2] is out of range of x, which has 4 elements", "x[-1]": "--print: x[-1] is out of range of x, which has 4 elements",
		"x[]": `--print: "" is not an index`, "n": `--print: unknown buffer "n"`, "]": `--print: unknown buffer ""`,
	} {
		_, err := j.Part(text)
		require.EqualError(t, err, want, text)
	}
	for text, want := range map[string]string{
		"x": `--save: "x" is not BUFFER=FILE`, "x=": `--save: "x=" is not BUFFER=FILE`, "z=f": `--save: unknown buffer "z"`,
	} {
		_, err := j.Save(text)
		require.EqualError(t, err, want, text)
	}
	none, err := prepare(t.Context(), t, "Nothing")
	require.NoError(t, err)
	_, err = none.Part("x")
	require.EqualError(t, err, `--print: unknown buffer "x": the launch has none`)
}

// TestInterrupted checks that the end of the context ends long operations.
func TestInterrupted(t *testing.T) {
	j, err := prepare(t.Context(), t, "Bytes", "s=zeros:1")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := newResolver(ctx, "Bytes", j.Params, 1, []Assignment{{"s", "random:4"}}, nil)
	require.NoError(t, err)
	require.ErrorIs(t, r.resolve("s"), context.Canceled)
}

// FuzzArgument checks that any text of an argument is either accepted or
// rejected with a message that names it, and that an accepted one has the
// length that it states.
func FuzzArgument(f *testing.F) {
	for _, s := range []string{"n=4", "x=zeros:n", "x=1,2,3", "p.Data=random:4:1:2", "p.At[1]=-3", "p.Last=7", "n=2*n+len(x)/3--1", "x=iota:3:nan", "x=fill:2:0x1p-3", "p=1,2", "x=file:none", "x=nil", "b=true,"} {
		f.Add(s)
	}
	kernels := map[string][]string{
		"Add":     {"n=4", "x=zeros:n", "y=zeros:n", "out=zeros:n", "threads=0"},
		"Packed":  {"p.N=4", "p.Data=zeros:4", "p.Last=0", "p.At[0]=0", "p.At[1]=0"},
		"Points":  {"p=zeros:1", "by=1,2,true,3"},
		"Scalars": strings.Fields("out=zeros:4 b=true i8=0 u8=0 i16=0 u16=0 i32=0 u32=0 i64=0 u64=0 f32=0 f64=8 level=0"),
	}
	params := map[string][]*Param{}
	for kernel, args := range kernels {
		j, err := prepare(f.Context(), f, kernel, args...)
		require.NoError(f, err)
		params[kernel] = j.Params
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "file:") || strings.Contains(text, "000000") || len(text) > 200 { // files of the system, or large arguments
			return
		}
		given, err := ParseAssignments(option.Arg, []string{text})
		if err != nil {
			return
		}
		for kernel, rest := range kernels {
			args := given
			for _, a := range rest {
				if name, value, _ := strings.Cut(a, "="); name != given[0].Name {
					args = append(args[:len(args):len(args)], Assignment{name, value})
				}
			}
			r, err := newResolver(t.Context(), kernel, params[kernel], 1, args, nil)
			if err == nil {
				r.copies = 1 << 16 // large arguments are rejected
				for _, name := range r.names {
					if _, ok := r.given[name]; !ok {
						continue
					}
					if err = r.resolve(name); err != nil {
						break
					}
					if d := r.data[name]; d != nil {
						require.Len(t, d.bytes, d.units*d.leaf.elem.size)
					}
				}
			}
			if err != nil {
				require.Contains(t, err.Error(), "--arg")
			}
		}
	})
}
