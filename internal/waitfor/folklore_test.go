package waitfor_test

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compile"
)

//go:embed testdata/folklore/*.go
var folklore embed.FS

// folk is a kernel of testdata/folklore that never ends, and what its explanation must say.
type folk struct {
	kernel string
	l      device.Launch
	args   []any
	on     string           // "" for both h200 and func
	cause  device.CauseKind // of the first cause
	// says are texts of the explanation, with spaces for line breaks. "{spin}" stands for the line that ends in
	// "// spin"; a text that begins with "!" must not be there.
	says []string
}

var folks = []folk{
	{"LastBlock", device.Launch{Grid: 1060, Block: 1024}, []any{1060}, "", device.CauseNotResident, []string{
		"!executed by no thread", "{set} (gpu.StoreRelease), but cannot start"}},
	{"GridCount", device.Launch{Grid: 1060, Block: 1024}, []any{1}, "h200", device.CauseNotResident, []string{
		"by blocks 264 to 1059, warps 0 to 31 (815,104 threads), not resident", "launch at most 264 blocks"}},
	{"Far", device.Launch{Grid: 1 << 16, Block: 64}, []any{1 << 22}, "tiny", device.CauseNotResident, []string{
		"block 65535 would execute {set} (gpu.Store), but cannot start before another block ends"}},
	{"Far", device.Launch{Grid: 1 << 18, Block: 32}, []any{1 << 23}, "tiny", device.CauseUnexamined, []string{
		"it is not known who would write flag[0]: no thread that was examined executes {set} (gpu.Store) for it, and 4,194,048 of 8,388,608 threads of the launch were not examined",
		"!executed by no thread", "!let a thread write"}},
}

// kernelOf compiles a kernel of testdata/folklore.
func kernelOf(t testing.TB, name string) *device.Kernel {
	tree, err := fs.Sub(folklore, "testdata/folklore")
	require.NoError(t, err)
	c := compile.New()
	c.Mount("folklore", tree)
	k, err := c.Kernel(context.Background(), "folklore."+name, nil)
	require.NoError(t, err)
	return k
}

// launchOf launches a kernel. A number is a buffer of so many zeros, a slice a buffer with its content, and all else an
// argument as it is.
func launchOf(t testing.TB, d device.Device, k *device.Kernel, l device.Launch, args []any) error {
	l.Kernel, l.Args = k, nil
	for i, a := range args {
		data, isData := a.([]uint32)
		if n, ok := a.(int); ok {
			data, isData = make([]uint32, n), true
		}
		if isData {
			b, err := d.Alloc(k.Params[i].Name, device.U32, len(data))
			require.NoError(t, err)
			require.NoError(t, d.Write(b, data))
			a = b
		}
		l.Args = append(l.Args, a)
	}
	_, err := d.Launch(context.Background(), l)
	return err
}

// marked returns a text with "{mark}" replaced by the line of the sources that ends in "// mark".
func marked(t testing.TB, kernel, text string) string {
	return regexp.MustCompile(`\{[\w ]+\}`).ReplaceAllStringFunc(text, func(mark string) string {
		files, err := fs.Glob(folklore, "testdata/folklore/*.go")
		require.NoError(t, err)
		shared := ""
		for _, f := range files {
			src, err := fs.ReadFile(folklore, f)
			require.NoError(t, err)
			inside := false
			for i, line := range strings.Split(string(src), "\n") {
				if strings.HasPrefix(line, "func ") {
					inside = strings.HasPrefix(line, "func "+kernel+"(")
				}
				if strings.HasSuffix(line, "// "+mark[1:len(mark)-1]) {
					at := fmt.Sprintf("%s:%d", strings.TrimPrefix(f, "testdata/"), i+1)
					if inside {
						return at
					}
					shared = at
				}
			}
		}
		require.NotEmpty(t, shared, "no line is marked %s", mark)
		return shared
	})
}

// TestFolklore checks that the explanation of each kernel names the cause: the word, the line, the threads, and a cure.
func TestFolklore(t *testing.T) {
	for _, c := range folks {
		on := []string{c.on}
		if c.on == "" {
			on = []string{"h200", "func"}
		}
		for _, on := range on {
			t.Run(c.kernel+" "+on, func(t *testing.T) {
				err := launchOf(t, openFor(t, on, 50_000_000), kernelOf(t, c.kernel), c.l, c.args)
				g := graphOf(t, err)
				text := strings.Join(strings.Fields(err.Error()), " ")
				for _, s := range c.says {
					if s, not := strings.CutPrefix(s, "!"); not {
						assert.NotContains(t, text, marked(t, c.kernel, s))
					} else if !strings.Contains(text, marked(t, c.kernel, s)) {
						assert.Fail(t, "it does not say "+marked(t, c.kernel, s), err.Error())
					}
				}
				if assert.NotEmpty(t, g.Causes, err.Error()) {
					assert.Equal(t, c.cause, g.Causes[0].Kind, err.Error())
				}
			})
		}
	}
}
