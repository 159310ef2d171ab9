package command

import (
	"context"
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus/run"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// wrapDevices makes every device that a test opens a wrapped one.
func wrapDevices(t *testing.T, wrap func(device.Device) device.Device) {
	made := devices.Opener
	t.Cleanup(func() { devices.Opener = made })
	devices.Opener = func(ctx context.Context, s *devices.Spec, w devices.Watch) (device.Device, error) {
		d, err := made(ctx, s, w)
		return wrap(d), err
	}
}

// beforeLaunch calls a function before each launch.
type beforeLaunch struct {
	device.Device
	before func()
}

// Launch calls the function and launches.
func (c beforeLaunch) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	c.before()
	return c.Device.Launch(ctx, l)
}

// TestLitmusInterrupted checks that Ctrl-C prints the outcomes so far.
func TestLitmusInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	launches := 0
	wrapDevices(t, func(d device.Device) device.Device {
		return beforeLaunch{d, func() {
			if launches++; launches == 13 {
				cancel(&signals.Error{Signal: syscall.SIGINT})
			}
		}}
	})
	stdout, stderr, code := commandContext(ctx, "litmus", ptxTestsFolder+"/SB-weak.litmus", ptxTestsFolder+"/MP-cta.litmus", ptxTestsFolder+"/CoWW-R.litmus",
		"--device", "func", "--instances", "640", "--seeds", "10", "--json")
	assert.Equal(t, exitInterrupt, code)
	assert.Equal(t, "weft: interrupted\n", stderr)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, 2)
	var first, second run.Report
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &first))
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &second))
	assert.False(t, first.Partial)
	assert.Equal(t, 640, first.Instances)
	assert.True(t, second.Partial)
	assert.Equal(t, "MP-cta", second.Test)
	assert.Equal(t, 2*64, second.Instances)
}

// forgetting is a device on which all registers end as 0.
type forgetting struct{ device.Device }

// Read reads zeros from the buffer of the registers.
func (f forgetting) Read(b device.Buffer, to any) error {
	err := f.Device.Read(b, to)
	if words, ok := to.([]uint32); ok && b.Name == "out" {
		clear(words)
	}
	return err
}

// TestLitmusForbidden checks that an outcome that PTX forbids is an error, and does not keep other tests from running.
func TestLitmusForbidden(t *testing.T) {
	wrapDevices(t, func(d device.Device) device.Device { return forgetting{d} })
	stdout, stderr, code := command(t, "litmus", ptxTestsFolder+"/SB+sc-cta.litmus", ptxTestsFolder+"/SB-weak.litmus", "--device", "func", "--instances", "1000", "--seeds", "10")
	assert.Equal(t, exitWrong, code)
	assert.Equal(t, "weft: SB+sc-cta: 1248 of 1248 instances show what the PTX model forbids\n", stderr)
	assert.Equal(t, `test       condition            instances  outcomes  hang  PTX forbids
SB+sc-cta  forall     violated      1,248         1                  1
SB-weak    exists     seen          1,280         1                  0
`, stdout)
	stdout, _, code = command(t, "litmus", ptxTestsFolder+"/SB+sc-cta.litmus", "--device", "func", "--instances", "1000", "--seeds", "10", "--json")
	assert.Equal(t, exitWrong, code)
	var x run.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &x))
	assert.Equal(t, []string{"P0:r0=0 P1:r1=0"}, x.Forbidden)
	assert.Equal(t, "seen", x.Condition)
	assert.False(t, *x.Holds)
}
