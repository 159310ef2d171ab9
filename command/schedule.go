package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim/policy"
)

// scheduleFlags are the flags that choose in which order blocks and warps run.
type scheduleFlags struct {
	schedule string
	model    string
}

func (o *scheduleFlags) register(cmd *cobra.Command) {
	flag(cmd, &o.schedule, option.Schedule)
	flag(cmd, &o.model, option.ProgressModel, modelHelp())
}

// modelHelp explains the progress models.
func modelHelp() string {
	var list []string
	for _, m := range policy.Models() {
		list = append(list, m.Name+" ("+m.What+")")
	}
	return strings.Join(list, "; ")
}

// unused returns a note if --seed was given and nothing depends on it.
func (o *deviceFlags) unused(changed func(flag string) bool, spec *devices.Spec) []string {
	if !changed("seed") || spec.Draws() {
		return nil
	}
	if !spec.Can().Has(device.Schedules) {
		return []string{"--seed changes nothing: " + spec.Name + " makes no random choice of its own"}
	}
	return []string{"--seed changes nothing: no delay and no policy of this machine is random; jitter.* and launch.order=random are (docs/machines.md)"}
}

// scheduleBytes is the largest schedule that is read.
const scheduleBytes = 64 << 20

// control returns what the flags ask for; nil for nothing.
func (o *scheduleFlags) control(ctx context.Context) (policy.Control, error) {
	switch {
	case o.model != "" && o.schedule != "":
		return nil, usage.Errorf("leave one out", "--progress-model draws a schedule, and --schedule gives one")
	case o.model != "":
		m, err := policy.ModelNamed(o.model)
		if err != nil {
			return nil, usage.Errorf("", "--progress-model: %v", err)
		}
		return m, nil
	case o.schedule == "":
		return nil, nil
	}
	text, name := []byte(o.schedule), "the JSON object"
	if !strings.HasPrefix(strings.TrimSpace(o.schedule), "{") {
		var err error
		if text, err = infile.ReadAll(ctx, o.schedule, scheduleBytes); err != nil {
			return nil, usage.Errorf("write a file's name, or a JSON object such as '{\"dispatch\":[1,0]}'", "--schedule: %s: %v", o.schedule, err)
		}
		name = o.schedule
	}
	s, err := policy.ParseSchedule(text)
	if err != nil {
		return nil, usage.Errorf("docs/schedules.md describes its form", "--schedule: %s: %v", name, err)
	}
	return s, nil
}
