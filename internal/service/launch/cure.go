package launch

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/diagnosis/cure"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Cure looks for what orders the accesses of races that the launches had on a device, and writes that into the races.
func (j *Job) Cure(ctx context.Context, spec *devices.Spec, races []device.Race) {
	run.Cure(ctx, spec, races, func(ctx context.Context, spec *devices.Spec, watch devices.Watch, change cure.Change) error {
		_, err := j.changed(ctx, spec, watch, change)
		return err
	})
}
