package command

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/laps"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/protocol"
	"github.com/weft-gpu/weft/internal/view/report"
)

// trialFlags are the flags of a run that is repeated from several sources.
type trialFlags struct {
	sources   int
	component string
	protocol  string
}

func (o *trialFlags) register(cmd *cobra.Command) {
	flag(cmd, &o.sources, option.Sources)
	flag(cmd, &o.component, option.Component, strings.Join(protocol.Components, ", "))
	flag(cmd, &o.protocol, option.Protocol, strings.Join(protocol.Names(), ", "))
}

// asked reports whether there are several runs.
func (o *trialFlags) asked() bool { return o.sources > 0 || o.protocol != "" }

// checkTrials rejects flags that need others, and unknown names. It returns the protocol, or nil.
func (o *runOptions) checkTrials() (*protocol.Protocol, error) {
	t := &o.trials
	switch {
	case o.changed("protocol") && t.protocol == "":
		return nil, usage.Errorf("such as --protocol gap", "--protocol: no name given")
	case o.changed("component") && !t.asked():
		return nil, usage.Errorf("such as --sources 64", "--component goes with --sources or --protocol only")
	case t.component != protocol.AnyComponent && t.component != protocol.LargestComponent:
		return nil, usage.Unknown("component", t.component, protocol.Components, "")
	}
	p, err := protocol.Named(t.protocol)
	if err != nil {
		return nil, err
	}
	if p.Checked() && o.noVerify {
		return nil, usage.Errorf("leave one out", "--no-verify: %s compares every answer", p.Name)
	}
	return p, nil
}

// trialsOf runs an algorithm from several sources as the flags say and prints the results.
func (a *app) trialsOf(ctx context.Context, o runOptions, p *protocol.Protocol) error {
	entry, err := catalog.Named(o.algorithm, o.scheduler)
	if err == nil && p != nil {
		if _, err = p.Trials(o.algorithm); err == nil {
			err = fitsSources(entry, o.changed)
		}
		if err != nil {
			return err
		}
	}
	preparing, changed := &laps.List{}, o.changed
	o.changed = func(name string) bool { return name != "seed" && changed(name) } // it draws the sources, whatever the device does with it
	j, err := a.job(laps.With(ctx, preparing), o)                                 // it also says what is wrong with a name
	if err != nil {
		return err
	}
	if p != nil {
		if j.request.Params, err = p.Set(o.algorithm, j.request.Params); err != nil {
			return err
		}
	}
	bar := progressbar.New(a.stderr, o.algorithm+" on "+j.request.Device.Name)
	r, err := protocol.Run(ctx, protocol.Request{
		Run: j.request, Protocol: p, Sources: o.trials.sources, Largest: o.trials.component == protocol.LargestComponent, Source: entry.Type.Source, Preparing: preparing,
		Progress: func(done, all int) { bar.Update(int64(done), int64(all), "") },
	})
	bar.Finish()
	if r == nil {
		return err
	}
	if signals.Ended(err) {
		err = interrupted(err, signals.Interrupted)
	}
	r.Command = "weft " + strings.Join(a.args, " ")
	r.Notes = append(r.Notes, j.notes...)
	if o.json {
		return errors.Join(format.JSON(a.stdout, r), err, r.Err())
	}
	report.Trials(a.stdout, r)
	return errors.Join(err, r.Err())
}

// fitsSources rejects flags about start vertices for an algorithm that has none.
func fitsSources(e catalog.Entry, changed func(flag string) bool) error {
	for _, name := range []string{"source", "sources", "component"} {
		if changed(name) && !e.Type.Source {
			return usage.Errorf("leave it out", "--%s: %s does not start from a vertex", name, e.Algorithm.Name)
		}
	}
	return nil
}
