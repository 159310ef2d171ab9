package cudatest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/command"
	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
	"github.com/weft-gpu/weft/internal/testing/cudabuild"
)

// fault is one that is planted: program.cu has a line "// bug 1: bounds on func", and "// BUG 1" at the lines of which a
// report must name one.
type fault struct {
	number int
	kind   string
	flags  []string // of weft cuda run, with the device
	lines  []int
}

var (
	bugLine  = regexp.MustCompile(`^// bug (\d+): ([a-z -]+?) on (\S+)((?: --\S+)*)$`)
	markLine = regexp.MustCompile(`// BUG((?: \d+)+)$`)
)

// faults reads what is planted in a program.
func faults(t *testing.T, file string) (list []*fault) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for i, line := range strings.Split(string(text), "\n") {
		if m := bugLine.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			require.Equal(t, len(list)+1, n, "%s:%d", file, i+1)
			list = append(list, &fault{number: n, kind: m[2], flags: append([]string{"--device", m[3]}, strings.Fields(m[4])...)})
		} else {
			require.NotContains(t, line, "// bug ", "%s:%d", file, i+1)
		}
		if m := markLine.FindStringSubmatch(line); m != nil {
			for _, word := range strings.Fields(m[1]) {
				n, err := strconv.Atoi(word)
				require.NoError(t, err)
				require.LessOrEqual(t, n, len(list), "%s:%d", file, i+1)
				list[n-1].lines = append(list[n-1].lines, i+1)
			}
		}
	}
	for _, f := range list {
		require.NotEmpty(t, f.lines, "%s: bug %d has no line", file, f.number)
	}
	return list
}

// programs returns the programs.
func programs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("programs/*.cu")
	require.NoError(t, err)
	return files
}

// needed are the kinds of faults, each of which is planted in at least so many programs.
var needed = []string{"race", "missing barrier", "bounds", "uninitialised", "misaligned", "livelock", "barrier over too many blocks", "lock within a warp", "wrong scope", "use after free"}

const leastOfKind = 4

// others are kinds that few programs can have.
var others = []string{"divergence"}

// TestPlanted counts the programs, and the faults of each kind.
func TestPlanted(t *testing.T) {
	kinds := map[string]int{}
	files := programs(t)
	for _, file := range files {
		for _, f := range faults(t, file) {
			assert.Contains(t, slices.Concat(needed, others), f.kind, file)
			kinds[f.kind]++
		}
	}
	for _, k := range needed {
		assert.GreaterOrEqual(t, kinds[k], leastOfKind, k)
	}
	assert.GreaterOrEqual(t, len(files), 40)
}

// built compiles a program with a fault planted; 0 for none.
func built(t *testing.T, file string, bug int) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(file), ".cu"))
	require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{file}, Output: program, Defines: []string{fmt.Sprintf("BUG=%d", bug)}}))
	return program
}

// run runs a program.
func run(program string, flags ...string) (stdout, stderr string, code int) {
	return runWith(flags, program)
}

// runWith runs a program with arguments.
func runWith(flags []string, program string, args ...string) (stdout, stderr string, code int) {
	var out, say bytes.Buffer
	code = command.Run(slices.Concat([]string{"cuda", "run", "-q"}, flags, []string{program}, args), &out, &say)
	return out.String(), say.String(), code
}

// short are the programs that every run of the tests tries.
var short = []string{"reduce", "bfs", "lock", "message", "managed", "boxes"}

// TestPrograms runs the programs of the short list.
func TestPrograms(t *testing.T) {
	for _, name := range short {
		t.Run(name, func(t *testing.T) { try(t, filepath.Join("programs", name+".cu"), []string{"func", "sim:tiny"}) })
	}
}

// TestHeavyPrograms runs all programs: those without a fault are right on every kind of machine, and of those with one the
// report names its line.
func TestHeavyPrograms(t *testing.T) {
	for _, file := range programs(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cu"), func(t *testing.T) {
			t.Parallel()
			try(t, file, []string{"func", "sim:tiny", "sim:h200", "sim:v100", "sim:k40"})
		})
	}
}

// refusals are lines of programs that older machines refuse, and these machines.
var refusals = map[string][]string{
	"\n// needs compute capability 9.0\n": {"sim:v100", "sim:k40"},
	"\n// needs compute capability 8.0\n": {"sim:v100", "sim:k40"},
	"\n// needs compute capability 7.0\n": {"sim:k40"},
	"\n// needs compute capability 6.0\n": {"sim:k40"},
}

// try runs a program, and its twins with faults.
func try(t *testing.T, file string, devices []string) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	list := faults(t, file)
	program := built(t, file, 0)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var refusing []string
	for line, machines := range refusals {
		if strings.Contains(string(text), line) {
			refusing = append(refusing, machines...)
		}
	}
	for _, device := range devices {
		flags := []string{"--device", device}
		if slices.Contains(refusing, device) {
			stdout, stderr, code := run(program, flags...)
			assert.NotZero(t, code, device)
			assert.Regexp(t, "needs? compute capability", stdout+stderr, device)
			continue
		}
		if device == "func" {
			flags = append(flags, "--race")
		}
		stdout, stderr, code := run(program, flags...)
		assert.Equal(t, 0, code, "%s: %s%s", device, stdout, stderr)
		assert.True(t, strings.HasSuffix(stdout, "ok\n"), "%s: %s", device, stdout)
		assert.Empty(t, stderr, device)
	}
	for _, f := range list {
		t.Run(fmt.Sprintf("%s %d", f.kind, f.number), func(t *testing.T) {
			stdout, stderr, code := run(built(t, file, f.number), f.flags...)
			assert.NotZero(t, code, stdout)
			named := slices.ContainsFunc(f.lines, func(n int) bool { return strings.Contains(stderr, fmt.Sprintf("%s:%d:", filepath.Base(file), n)) })
			assert.True(t, named, "no line of %v is in the report:\n%s%s", f.lines, stdout, stderr)
		})
	}
}

// TestNotLinear builds a program with an instruction that fetches from a texture of NVIDIA's: its kernel is refused by name and line, and a call that
// there is not by its name.
func TestNotLinear(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	file := filepath.Join(t.TempDir(), "image.cu")
	require.NoError(t, os.WriteFile(file, []byte(`#include <cstdio>
__global__ void fine(float *p) { *p = 1; }
__global__ void sample(float *p, unsigned long long image) {
	float a, b, c, d;
	asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(image), "f"(1.5f), "f"(2.5f));
	*p = a;
}
int main() {
	float *p;
	cudaMalloc(&p, 4);
	fine<<<1, 1>>>(p);
	sample<<<1, 1>>>(p, 0);
	printf("%s\n", cudaGetErrorString(cudaGetLastError()));
	cudaMallocMipmappedArray();
}
`), 0o666))
	stdout, stderr, code := run(built(t, file, 0), "--device", "func")
	assert.Equal(t, 1, code)
	assert.Equal(t, "a PTX JIT compilation failed\n", stdout)
	assert.Regexp(t, `kernel sample has instructions that are not supported:\n.* \(.*image\.cu:5\): tex\.2d\.v4\.f32\.f32: of textures and surfaces only tex\.1d`, stderr)
	assert.Contains(t, stderr, "the program calls cudaMallocMipmappedArray, which weft does not have")
}
