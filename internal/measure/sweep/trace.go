package sweep

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim/profile"
)

// leastTrace and mostTrace are the samples that a run may keep. A sample takes about 60 bytes in the store.
const leastTrace, mostTrace = 10, 10_000

// setTrace sets the number of samples.
func setTrace(s *settings, v string) (err error) {
	if s.trace, err = strconv.Atoi(v); err != nil || s.trace != 0 && (s.trace < leastTrace || s.trace > mostTrace) {
		return fmt.Errorf("%q is neither 0 nor a number of samples from %d to %d", v, leastTrace, mostTrace)
	}
	return nil
}

// tracing returns what to observe of a task, which is nothing unless the setting trace asks for it.
func (t *Task) tracing() devices.Watch {
	if t.settings.trace == 0 {
		return devices.Watch{}
	}
	return devices.Watch{Trace: profile.NewTrace(t.settings.trace, t.settings.trace)}
}

// canTrace returns an error if the setting trace asks for what the device does not have.
func (t *Task) canTrace() error {
	if t.settings.trace == 0 {
		return nil
	}
	if err := t.device.Need("trace", device.Trace); err != nil {
		return in(placeOf(t.Point, "trace"), err)
	}
	if t.settings.options.Sample != 0 {
		return fmt.Errorf("%s: sample and trace exclude each other: with trace, everything is simulated", placeOf(t.Point, option.Sample.Key))
	}
	return nil
}

// traceText returns the file of a trace, without blocks, of which there are many and which no picture shows; nil if there is
// no trace.
func (t *Task) traceText(tr *profile.Trace, command string) ([]byte, error) {
	if tr == nil {
		return nil, nil
	}
	count, _ := t.device.Number("sm.count")
	warps, _ := t.device.Number("sm.warps")
	tr.Blocks = nil
	var b bytes.Buffer
	err := tr.WriteJSON(&b, int(count*warps), map[string]string{"command": command, "device": t.device.Name})
	return b.Bytes(), err
}
