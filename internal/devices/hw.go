package devices

import (
	"context"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/signals"
	"github.com/weft-gpu/weft/results"
)

// hardware returns the family of real GPUs.
func hardware() Family {
	return Family{
		Name:   "hw",
		Phrase: "name a real GPU by --device hw or hw:1",
		Can:    hw.Capabilities,
		List: func() []Info {
			return []Info{{Name: "hw", What: "a real NVIDIA GPU through its driver; hw:1 is the second"}}
		},
		Is: func(name string) bool { return GPUIndex(name) >= 0 },
		Configure: func(s *Spec) error {
			o := hw.Options{Check: s.Options.Check, Watchdog: s.Options.Deadline > 0, Deadline: s.Options.Deadline}
			s.open = func(context.Context, Watch) (device.Device, error) {
				signals.OwnPipes() // of the process that holds the GPU
				return OpenGPU(s.Name, GPUIndex(s.Name), o)
			}
			s.record = func(ctx context.Context) (string, error) { return recordOfGPU(ctx, s) }
			return nil
		},
	}
}

// OpenGPU opens a real GPU. Tests of the command line replace it by something
// faster.
var OpenGPU = hw.Open

// GPUIndex returns the number in "hw" (0) or "hw:1"; -1 for other names.
func GPUIndex(name string) int {
	if name == "hw" {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(name, "hw:"))
	if !strings.HasPrefix(name, "hw:") || err != nil || n < 0 {
		return -1
	}
	return n
}

// recordOfGPU asks the driver which GPU it is, and returns the name of its
// record; "" if it was never recorded.
func recordOfGPU(ctx context.Context, s *Spec) (string, error) {
	dev, err := s.Open(ctx, Watch{})
	if err != nil {
		return "", err
	}
	defer dev.Close()
	m, ok := dev.(device.Model)
	if !ok {
		return "", nil
	}
	for _, name := range results.GPUs() {
		if h, err := results.Load(name); err == nil && h.Meta.GPU == m.Model() {
			return name, nil
		}
	}
	return "", nil
}
