package devices

import (
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// The least and the largest error that can be asked for. Below, nothing could be left out; beyond, nothing would be said.
const (
	leastSample = 0.001
	mostSample  = 0.5
)

// ParseSample parses "2%" or "0.02". It returns 0, with which everything is simulated, for "" and "0".
func ParseSample(text string) (float64, error) {
	if text == "" || text == "0" || text == "0%" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	bound, err := strconv.ParseFloat(number, 64)
	if percent {
		bound /= 100
	}
	if err != nil || !(bound >= leastSample && bound <= mostSample) {
		return 0, usage.Errorf(usage.Say("write %s", option.Sample.With("2%")), "%s: %q is not an error from 0.1%% to 50%%", option.Sample, text)
	}
	return bound, nil
}

// checkSample rejects a bound that is none, and options for which everything has to be simulated.
func (s *Spec) checkSample() error {
	o := &s.Options
	if o.Sample == 0 {
		return nil
	}
	if !(o.Sample >= leastSample && o.Sample <= mostSample) {
		return usage.Errorf("", "%s: %v is not from %v to %v", option.Sample, o.Sample, leastSample, mostSample)
	}
	for _, x := range []struct {
		set    bool
		option *option.Option
	}{
		{o.Race, option.Race},
		{o.Strict == Strict, option.Strict},
		{o.Control != nil, controlOption(o.Control)},
		{s.GPUs > 1, option.GPUs},
	} {
		if x.set {
			return usage.Errorf("leave one of them out", "%s and %s exclude each other: with %s, everything is simulated", option.Sample, x.option, x.option)
		}
	}
	return nil
}
