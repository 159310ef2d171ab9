package command

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/measure/hangs"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// TestHangReport checks that a scenario that hangs prints the report of the error and has its exit
// code, on standard error, and in JSON its parts.
func TestHangReport(t *testing.T) {
	stdout, stderr, code := command(t, "hang", "barrier-simdx", "--device", "sim:k40", "--grid", "61")
	assert.Equal(t, exitHang, code)
	assert.Contains(t, stdout, "outcome     hangs\n")
	assert.Contains(t, stdout, "resident    60 blocks at the same time, 4 per SM, limited by registers\n")
	assert.Contains(t, stderr, "weft: kernel barrier.MeetLocks hangs: ")
	assert.Contains(t, stderr, "scheduler/barrier.go:")

	stdout, _, code = command(t, "hang", "barrier-simdx", "--device", "sim:k40", "--grid", "61", "--json")
	assert.Equal(t, exitHang, code)
	var one struct {
		Device     string
		Outcome    hangs.Outcome
		AsExpected bool `json:"as_expected"`
		Resident   int
		Blocks     int
		Error      struct {
			Kind    string
			Details device.HangError
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &one))
	assert.Equal(t, "sim:k40", one.Device)
	assert.Equal(t, hangs.Hangs, one.Outcome)
	assert.True(t, one.AsExpected)
	assert.Equal(t, []int{60, 61}, []int{one.Resident, one.Blocks})
	assert.Equal(t, "hang", one.Error.Kind)
	assert.Equal(t, device.Hang, one.Error.Details.Kind)
}

// TestHangJSON checks the lists in JSON.
func TestHangJSON(t *testing.T) {
	stdout, _, code := command(t, "hang", "--json")
	require.Zero(t, code)
	var list []scenarioJSON
	require.NoError(t, json.Unmarshal([]byte(stdout), &list))
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	assert.Equal(t, hangs.Names(), names)
	stdout, _, _ = command(t, "hang", names[2], "--describe", "--json")
	var described scenarioJSON
	require.NoError(t, json.Unmarshal([]byte(stdout), &described))
	assert.Equal(t, list[2], described)

	stdout, _, code = command(t, "hang", "--all", "--device", "func", "--json")
	require.Zero(t, code)
	var all struct {
		Rows   []hangRow
		Differ int
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &all))
	assert.Zero(t, all.Differ)
	n := 0
	for _, s := range hangs.Scenarios() {
		n += len(s.Cases)
	}
	assert.Len(t, all.Rows, n)

	stdout, _, code = command(t, "hang", "barrier-locks", "--device", "sim:tiny", "--largest", "--json")
	require.Zero(t, code)
	var largest hangs.Largest
	require.NoError(t, json.Unmarshal([]byte(stdout), &largest))
	assert.Equal(t, []int{2, 3, 2}, []int{largest.Ends, largest.Next, largest.Resident})
	assert.NotEmpty(t, largest.Tries)
}

// TestHangAllDiffers checks that --all fails if a device ends a scenario otherwise than expected:
// here one on which every launch fails as if it hung.
func TestHangAllDiffers(t *testing.T) {
	open := devices.Opener
	t.Cleanup(func() { devices.Opener = open })
	devices.Opener = func(ctx context.Context, s *devices.Spec, w devices.Watch) (device.Device, error) {
		d, err := open(ctx, s, w)
		return hanging{d}, err
	}
	stdout, stderr, code := command(t, "hang", "--all", "--device", "func")
	assert.Equal(t, exitWrong, code)
	assert.Regexp(t, `(?m)^barrier-counter +blocks=fit +\d+ +\d+ +hangs +no: ends +all blocks are resident$`, stdout)
	assert.Contains(t, stdout, "\n46 launches on func, 16 of them as expected\n")
	assert.Equal(t, "weft: 30 of 46 launches ended otherwise than expected on func\n", stderr)
}

// hanging is a device on which every launch hangs.
type hanging struct{ device.Device }

func (h hanging) Launch(_ context.Context, l device.Launch) (*device.Report, error) {
	return nil, &device.HangError{Kernel: l.Kernel.Name, What: "it always does"}
}

// TestHangAllFails checks that --all goes on after a device has failed, and says how.
func TestHangAllFails(t *testing.T) {
	open := devices.Opener
	t.Cleanup(func() { devices.Opener = open })
	opened := 0
	devices.Opener = func(ctx context.Context, s *devices.Spec, w devices.Watch) (device.Device, error) {
		if opened++; opened == 2 || opened == 48 {
			return nil, errors.New("no device today")
		}
		return open(ctx, s, w)
	}
	stdout, stderr, code := command(t, "hang", "--all", "--device", "func")
	assert.Equal(t, exitWrong, code)
	assert.Regexp(t, `(?m)^barrier-counter +blocks=fit +0 +0 +fails +no +no device today$`, stdout)
	assert.Equal(t, "weft: 1 of 46 launches ended otherwise than expected on func\n", stderr)
	opened = 47
	stdout, stderr, _ = command(t, "hang", "--all", "--device", "func")
	assert.Empty(t, stdout)
	assert.Equal(t, "weft: no device today\n", stderr)
}

// TestHangDeadline checks that a real GPU is always opened with a watchdog and a deadline.
func TestHangDeadline(t *testing.T) {
	open := devices.OpenGPU
	t.Cleanup(func() { devices.OpenGPU = open })
	var with []hw.Options
	devices.OpenGPU = func(_ string, _ int, o hw.Options) (*hw.Device, error) {
		with = append(with, o)
		return nil, errors.New("no GPU today")
	}
	for _, line := range []string{"hang sync-flag --device hw", "hang --all --device hw:1 --deadline 2s", "hang barrier-tree --largest --device hw"} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.Equal(t, exitWrong, code)
		assert.Equal(t, "weft: no GPU today\n", stderr)
	}
	assert.Equal(t, []hw.Options{
		{Watchdog: true, Deadline: 500 * time.Millisecond}, {Watchdog: true, Deadline: 2 * time.Second}, {Watchdog: true, Deadline: 500 * time.Millisecond},
	}, with)
}

// TestHangInterrupted checks that Ctrl-C ends the scenarios.
func TestHangInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"hang --all --device sim:tiny", "hang barrier-tree --device sim:tiny", "hang barrier-tree --device sim:tiny --largest"} {
		stdout, stderr, code := commandContext(ctx, strings.Fields(line)...)
		assert.Equal(t, 130, code, line)
		assert.Empty(t, stdout)
		assert.Equal(t, "weft: interrupted\n", stderr)
	}
}
