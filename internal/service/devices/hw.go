package devices

import (
	"context"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/results"
)

// hardware returns the family of real GPUs.
func hardware() Family {
	return Family{
		Name:   "hw",
		Phrase: usage.Say("name a real GPU by %s hw or hw:1", option.Device),
		Can:    hw.Capabilities,
		Groups: hw.GroupCapabilities, numbered: true,
		List: func() []Info {
			return []Info{{Name: "hw", What: "a real NVIDIA GPU through its driver; hw:1 is the second, hw:0,1 both as a group"}}
		},
		Is: func(name string) bool { return GPUNumbers(name) != nil },
		Configure: func(s *Spec) error {
			s.open = func(ctx context.Context, s *Spec, _ Watch) (device.Device, error) {
				o := hw.Options{Check: s.Options.Check, Watchdog: s.Options.Deadline > 0, Deadline: s.Options.Deadline}
				signals.OwnPipes() // of the process that holds the GPU
				if s.GPUs > 0 {
					return OpenGPUs(ctx, GPUNumbers(s.Name), o)
				}
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

// OpenGPUs opens several real GPUs as a group; tests replace it, too.
var OpenGPUs = func(ctx context.Context, numbers []int, o hw.Options) (device.Device, error) {
	g, err := hw.OpenGroup(ctx, numbers, o)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// GPUIndex returns the number in "hw" (0) or "hw:1"; -1 for other names.
func GPUIndex(name string) int {
	if numbers := GPUNumbers(name); len(numbers) == 1 {
		return numbers[0]
	}
	return -1
}

// GPUNumbers returns the numbers in "hw" (0), "hw:1" or "hw:0,1"; nil for other
// names.
func GPUNumbers(name string) (numbers []int) {
	if name == "hw" {
		return []int{0}
	}
	list, ok := strings.CutPrefix(name, "hw:")
	if !ok {
		return nil
	}
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// recordOfGPU asks the driver which GPU it is, and returns the name that records of
// it have.
func recordOfGPU(ctx context.Context, s *Spec) (string, error) {
	if s.GPUs > 1 {
		return "", nil // it has the runs of one GPU
	}
	dev, err := s.Open(ctx, Watch{})
	if err != nil {
		return "", err
	}
	defer dev.Close()
	m, ok := dev.(device.Model)
	if !ok {
		return "", nil
	}
	return results.DeviceName(m.Model()), nil
}
