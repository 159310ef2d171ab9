package command

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// errStub ends a command whose command line was accepted.
var errStub = errors.New("this is where the work would begin")

// stub makes opening graphs and devices fail with errStub.
func stub(t testing.TB) {
	g, d, h := graphs.Open, devices.Opener, devices.OpenGPU
	t.Cleanup(func() { graphs.Open, devices.Opener, devices.OpenGPU = g, d, h })
	graphs.Open = func(context.Context, string, graph.LoadOptions) (*graph.CSR, graph.Notes, error) {
		return nil, nil, errStub
	}
	devices.Opener = func(context.Context, *devices.Spec, devices.Watch) (device.Device, error) { return nil, errStub }
	devices.OpenGPU = func(string, int, hw.Options) (*hw.Device, error) { return nil, errStub }
}

// words are the words of fuzzed command lines: an argument of one byte below
// 0x80 after a 0x01 stands for the word of that number.
func words() []string {
	list := []string{"", "-", "--", "=", "-h", "--help", "__complete", "__completeNoDesc", "completion", "bash", "0", "1", "-1", "1e9", "bfs", "sssp", "pagerank", "warp", "block-queue", "demo",
		"rmat:scale=3", "func", "hw", "sim:tiny", "sim:h200", "record", "./x.Type", "sm.count=3", "damping=0.5", "launches=1-2", "5s", "max-degree", "kernels.BFSWarp", "1,2", "answer", "."}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		list = append(list, c.Name())
		c.Flags().VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit((&app{}).root())
	slices.Sort(list)
	return slices.Compact(list)
}

// commandLine splits text into arguments at 0 bytes.
func commandLine(text string, words []string) []string {
	var args []string
	for part := range strings.SplitSeq(text, "\x00") {
		if len(part) >= 2 && part[0] == 1 && int(part[1]) < len(words) {
			part = words[part[1]] + part[2:]
		}
		args = append(args, part)
	}
	return args
}

// FuzzCommandLine runs the command with arbitrary arguments up to the point
// where the work would begin: it must not panic or print control characters,
// and must report an invalid command line in a single message.
func FuzzCommandLine(f *testing.F) {
	words := words()
	for _, lines := range [][]string{runners, printers} {
		for _, line := range lines {
			f.Add(strings.Join(strings.Fields(line), "\x00"))
		}
	}
	for _, args := range golden.Lines(f, transcripts) {
		f.Add(strings.Join(args, "\x00"))
	}
	for i := range words {
		f.Add("run\x00bfs\x00\x01" + string(rune(i)) + "\x00" + evil)
		f.Add("\x01" + string(rune(i)))
	}
	for _, found := range []string{"compare\x00bfs\x00--wit ", "00000\x00-:", "ir\x00I./a\n\n\nb.P", "run\x00%!e", "run\x00x\n al:x", "run\x00\n0/\n0"} {
		f.Add(found)
	}
	f.Chdir(f.TempDir())
	stub(f)
	ctx, cancel := context.WithCancel(f.Context())
	cancel() // commands without a graph and a device end at once, too
	// Words of libraries that mean nothing to a user, and remains of missing
	// values.
	jargon := regexp.MustCompile(`strconv\.|pflag|invalid syntax|stringArray|%!|<nil>|runtime error|goroutine|(?m) $`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		args := commandLine(text, words)
		stdout, stderr, code := commandContext(ctx, args...)
		for _, out := range []string{stdout, stderr} {
			for _, r := range out {
				if r != '\n' && r != '\t' && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError && !strings.ContainsRune(text, r)) {
					t.Fatalf("%q prints %U in %q", args, r, out)
				}
			}
		}
		odd := func(message string) bool {
			j := jargon.FindString(message)
			return j != "" && !strings.Contains(text, j) && !strings.Contains(text, "\n") // the user's own word is quoted
		}
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		switch {
		case code == exitRight:
			return
		case code != exitWrong && code != exitUsage && code != exitInterrupt:
			t.Fatalf("%q: exit code %d: %s", args, code, stderr)
		case code == exitUsage && stdout != "":
			t.Fatalf("%q is wrong, and prints %q", args, stdout)
		case !strings.HasPrefix(lines[0], "weft: ") || len(lines[0]) < len("weft: a word") || odd(lines[0]):
			t.Fatalf("%q: no clear message: %q", args, stderr)
		}
		for _, l := range lines[1:] {
			if !strings.HasPrefix(l, "  ") && !strings.HasPrefix(l, "\t") {
				t.Fatalf("%q: more than one message: %q", args, stderr)
			}
		}
	})
}

// BenchmarkCommandLine measures one fuzzed command line.
func BenchmarkCommandLine(b *testing.B) {
	stub(b)
	b.Chdir(b.TempDir())
	for _, line := range []string{"run bfs", "run bfs --seed x", "list", "compare bfs", "run ./x.Type", "run bfs --device func", "micro", "help run"} {
		b.Run(line, func(b *testing.B) {
			for range b.N {
				_, _, _ = commandContext(b.Context(), strings.Fields(line)...)
			}
		})
	}
}
