package devices

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// groupsMore is the line of lists about groups.
var groupsMore = "a group of GPUs: funcx2, sim:h200x2, or " + option.GPUs.With("2").String() + " with the name of one; hw:0,1"

// cutGPUs splits "sim:h200x2" into "sim:h200" and "2"; ok is false if the name
// does not end in an x and digits, or in an x.
func cutGPUs(name string) (one, digits string, ok bool) {
	digits = name[len(strings.TrimRight(name, "0123456789")):]
	one, ok = strings.CutSuffix(strings.TrimSuffix(name, digits), "x")
	return one, digits, ok && one != ""
}

// AutoGPUs as a number of GPUs stands for one that is chosen for a graph, which a device without a graph cannot have.
const AutoGPUs = -1

// GroupExample returns the name of a group of two, for a hint.
func GroupExample(one string) string {
	f := familyOf(one)
	switch {
	case f == nil || f.Groups == 0:
		return "sim:h200x2"
	case f.numbered:
		return f.Name + ":0,1"
	}
	return one + "x2"
}

// checkGPUs checks a number of GPUs that was given for what, a text or an option.
func checkGPUs(what any, n int) error {
	if n == AutoGPUs {
		return usage.Errorf("write a number", "%s: only weft run chooses a number of GPUs", what)
	}
	if limits := option.GPUs.Limits; !limits.Has(n) {
		return usage.Errorf("", "%s: %d GPUs; a group has %d to %d", what, n, limits.Least, limits.Most)
	}
	return nil
}

// group interprets a name that is none of a single device, and Options.GPUs. It
// sets GPUs, One, Name and, if the name is that of a group, the family.
func (s *Spec) group() error {
	s.One = s.Name
	if s.family == nil {
		one, digits, ok := cutGPUs(s.Name)
		f := familyOf(one)
		switch {
		case !ok || f == nil || f.Groups == 0 || f.numbered:
			return nil // unknown
		case digits == "":
			return usage.Errorf(fmt.Sprintf("write %sx2 for two", one), "device %s: there is no number of GPUs after the x", s.Name)
		}
		n, err := strconv.Atoi(digits)
		if err != nil || digits[0] == '0' {
			return usage.Errorf(fmt.Sprintf("write %sx2 for two", one), "device %s: %s is not a number of GPUs", s.Name, digits)
		}
		if err := checkGPUs("device "+s.Name, n); err != nil {
			return err
		}
		s.family, s.One, s.GPUs = f, one, n
	}
	if s.family.numbered {
		if n := len(GPUNumbers(s.Name)); n > 1 {
			s.GPUs = n
		}
	}
	want := s.Options.GPUs
	if want == 0 {
		return nil
	}
	if err := checkGPUs(option.GPUs, want); err != nil {
		return err
	}
	switch {
	case s.GPUs != 0:
		if s.GPUs != want {
			return usage.Errorf(usage.Say("leave %s out", option.GPUs), "%s: %d GPUs, but %s has %d", option.GPUs, want, s.Name, s.GPUs)
		}
	case s.family.Groups == 0:
		return usage.Errorf("", "%s: there are no groups of %s", option.GPUs, s.Name)
	case s.family.numbered:
		if s.Name != s.family.Name {
			return usage.Errorf(usage.Say("name the GPUs, such as %s", option.Device.With("hw:0,1")), "%s: %s is one GPU", option.GPUs, s.Name)
		}
		s.Name, s.GPUs = numbered(s.Name, want), want
	default:
		s.Name, s.GPUs = fmt.Sprintf("%sx%d", s.Name, want), want
	}
	return nil
}

// Part returns the name of the first n GPUs of a group: "sim:h200" and "sim:h200x2" of "sim:h200x4", "hw:0" of "hw:0,1".
func (s *Spec) Part(n int) string {
	switch {
	case s.family.numbered:
		words := strings.Split(strings.TrimPrefix(s.Name, s.family.Name+":"), ",")
		return s.family.Name + ":" + strings.Join(words[:n], ",")
	case n == 1:
		return s.One
	}
	return fmt.Sprintf("%sx%d", s.One, n)
}

// Memory returns the bytes of memory of a GPU, that with the least of a group; 0 if it has as much as this computer. A real GPU is opened
// for it.
func (s *Spec) Memory(ctx context.Context) (uint64, error) {
	if mib, ok := s.Number("dram.capacity"); ok {
		return uint64(mib) << 20, nil
	}
	if !s.family.numbered {
		return 0, nil
	}
	dev, err := s.Open(ctx, Watch{})
	if err != nil {
		return 0, err
	}
	defer dev.Close()
	group, least := device.Alone(dev), uint64(0)
	for i := range group.GPUs() {
		if gpu, ok := group.GPU(i).(interface{ Info() hw.Info }); ok {
			if free := gpu.Info().MemoryFree; least == 0 || free < least {
				least = free
			}
		}
	}
	return least, nil
}

// numbered returns the name of the first n GPUs: "hw:0,1".
func numbered(family string, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = strconv.Itoa(i)
	}
	return family + ":" + strings.Join(words, ",")
}

// familyOf returns the family that has a device of this name; nil if none has.
func familyOf(name string) (found *Family) {
	for _, f := range families {
		is := f.Is
		if is == nil {
			is = func(name string) bool {
				return slices.ContainsFunc(f.List(), func(d Info) bool { return d.Name == name })
			}
		}
		if is(name) {
			found = f
		}
	}
	return found
}

// Single returns an error if the device is a group of several GPUs, for a
// command that uses one.
func (s *Spec) Single(what string) error {
	if s.GPUs <= 1 {
		return nil
	}
	return s.oneOnly(what, "uses")
}

// oneOnly is the error for something that works on one GPU, which the device is
// not.
func (s *Spec) oneOnly(what any, verb string) error {
	var hint usage.Message
	if !s.family.numbered {
		hint = usage.Say("write %s", option.Device.With(s.One))
	}
	return usage.Errorf(hint, "%s %s one GPU, and %s is a group of %d", what, verb, s.Name, s.GPUs)
}
