//go:build cgo && linux

package hw_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
)

// TestStages checks that the moments of a launch follow each other, that the kernel lies between the request and the answer, and what two devices write to
// one file.
func TestStages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stages.csv")
	t.Setenv(hw.StagesFile, file)
	for range 2 {
		d := openFake(t, hw.Options{})
		b, err := d.Alloc("numbers", device.U32, 64)
		require.NoError(t, err)
		l := device.Launch{Kernel: kernel(t, "Iota"), Grid: 2, Block: 32, Args: []any{b}}
		for range 2 {
			_, err = d.LaunchRead(t.Context(), l, device.Answer{Buffer: b.Slice(0, 1), To: make([]uint32, 1)})
			require.NoError(t, err)
		}
		l.Cooperative = true // by events
		before := d.Now()
		rep, err := d.Launch(t.Context(), l)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, d.Known()-before, rep.Seconds)
		assert.LessOrEqual(t, d.Known(), d.Now())
		require.NoError(t, d.Close())
	}
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 7)
	require.Equal(t, []string{"kernel", "prepared", "sent", "taken", "described", "set", "submitted", "began", "ended", "over", "seen", "done", "kernel_us", "off_us", "asked_ns"}, rows[0])
	last := 0.0
	for n, row := range rows[1:] {
		require.Equal(t, "testkernels.Iota", row[0])
		at := map[string]float64{}
		for i, name := range rows[0][1:] {
			if events := n%3 == 2; events && (name == "began" || name == "ended") {
				require.Empty(t, row[i+1], "events do not tell when a kernel began")
				continue
			}
			x, err := strconv.ParseFloat(row[i+1], 64)
			require.NoError(t, err)
			at[name] = x
		}
		order := []string{"prepared", "sent", "taken", "described", "set", "submitted", "over"}
		for i := range order[1:] {
			assert.LessOrEqual(t, at[order[i]], at[order[i+1]], order[i+1])
		}
		assert.LessOrEqual(t, at["seen"], at["done"])
		if row[7] != "" {
			assert.GreaterOrEqual(t, at["began"], at["sent"]-at["off_us"]-1)
			assert.LessOrEqual(t, at["ended"], at["seen"]+at["off_us"]+1)
		}
		assert.Greater(t, at["asked_ns"], last)
		last = at["asked_ns"] + at["done"]*1e3
	}
}

// TestStagesFile checks that a file that cannot be written is told when the GPU is opened, and that nobody who does not ask gets one.
func TestStagesFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none", "stages.csv")
	t.Setenv(hw.StagesFile, file)
	_, err := hw.Open("hw", 0, hw.Options{})
	require.EqualError(t, err, "WEFT_HW_STAGES: open "+file+": no such file or directory")
}
