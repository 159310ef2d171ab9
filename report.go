package weft

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/internal/view/annotate"
	"github.com/weft-gpu/weft/internal/view/report"
)

// top is how many lines and addresses the summaries of Annotate show.
const top = 10

// Explain writes, for each kernel that took much of the time so far, how it was
// launched, its registers and occupancy, and on a simulated machine its stall
// reasons, the use of each unit relative to its peak, and what bounds it: what
// "weft launch" prints. It needs a launch.
func (d *Device) Explain(w io.Writer) error {
	if err := d.launched("Explain"); err != nil {
		return err
	}
	report.Kernels(printable.NewWriter(w), d.work())
	return nil
}

// work returns what the launches so far did.
func (d *Device) work() *run.Work {
	total := d.Total()
	work := &run.Work{Launches: total.Launches, Cycles: total.Cycles, SimulatedSeconds: total.Seconds, All: total.Counters}
	if d.Capabilities().Has(device.Clock) {
		work.KernelSeconds = total.Seconds
	}
	work.Explain(d.collected.List(d.inner))
	return work
}

// Annotate writes what the launches so far spent their time on: for each kernel
// what warps waited for, and its source with what each line cost ("weft annotate
// --help" explains the columns). It needs a device that was opened with
// Options.Profile, and a launch.
func (d *Device) Annotate(w io.Writer) error {
	if err := d.needs("Annotate", "Options.Profile", d.profile != nil, device.Profile); err != nil {
		return err
	}
	head := func(w io.Writer) { fmt.Fprintf(w, "device  %s\n", d.Name()) }
	return annotate.Text(printable.NewWriter(w), head, d.work(), d.profile, top, false)
}

// WriteProfile writes the same, by line and chain of calls, in the (gzipped) format of pprof: "go
// tool pprof -top FILE", "-list KERNEL", "-http". Source files have their absolute
// names, if they are on disk. It needs a device that was
// opened with Options.Profile, and a launch.
func (d *Device) WriteProfile(w io.Writer) error {
	if err := d.needs("WriteProfile", "Options.Profile", d.profile != nil, device.Profile); err != nil {
		return err
	}
	c, err := catalog.Kernels()
	if err != nil {
		return err
	}
	return d.profile.WritePprof(w, counter.StallNames(), d.Total().Seconds, c.OnDisk)
}

// WriteTrace writes launches, blocks, copies and load over time as JSON for
// https://ui.perfetto.dev. It needs a device that was opened with Options.Trace,
// and a launch.
func (d *Device) WriteTrace(w io.Writer) error {
	if err := d.needs("WriteTrace", "Options.Trace", d.trace != nil, device.Trace); err != nil {
		return err
	}
	sms, _ := d.spec.Number("sm.count")
	warps, _ := d.spec.Number("sm.warps")
	return d.trace.WriteJSON(printable.NewWriter(w), int(sms*warps), map[string]string{"device": d.Name(), "seed": strconv.FormatUint(d.spec.Options.Seed, 10)})
}

// needs says why a method has nothing to write.
func (d *Device) needs(method, option string, has bool, can device.Capabilities) error {
	if d.spec == nil {
		return fmt.Errorf("weft.Device.%s: nothing was noted; open the device with weft.Open and %s", method, option)
	}
	if err := d.spec.Need("weft.Device."+method, can); err != nil {
		return errors.New(usage.In(err, usage.Program) + "; open a simulated machine, such as sim:h200, with " + option)
	}
	if !has {
		return fmt.Errorf("weft.Device.%s: nothing was noted; open device %s with %s", method, d.Name(), option)
	}
	return d.launched(method)
}

// launched says that a method has nothing to write before the first launch.
func (d *Device) launched(method string) error {
	if d.Total().Launches == 0 {
		return fmt.Errorf("weft.Device.%s: device %s has launched nothing", method, d.Name())
	}
	return nil
}
