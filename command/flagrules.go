package command

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/usage"
)

// flagRule says that flags of a command would be ignored beside another one. A command that was asked for something says
// so at once, instead of ending with success without having done it. TestHeavyFlagPairs tries all pairs of flags of all
// commands and fails for a pair that lacks its rule here, or a check of the command's own.
type flagRule struct {
	command string
	flags   []string
	beside  []string // the flags do nothing beside one of these
	why     string
	hint    string
}

const (
	allCounters = "--json prints all counters"
	allLines    = "--json prints all lines, addresses and launches"
	oneThread   = "one thread simulates a launch that is watched or steered"
	everything  = "everything, or what is named, is simulated for that"
	differences = "it prints only the differences of two"
)

// flagRules are the pairs of flags of which one would be ignored, except those that need more than the names of the flags
// to be judged, which the commands check.
var flagRules = []flagRule{
	{"run", []string{"counters"}, []string{"json"}, allCounters, leaveOut},
	{"launch", []string{"counters"}, []string{"json"}, allCounters, leaveOut},
	{"launch", []string{"top"}, []string{"json"}, allLines, leaveOut},
	{"launch", []string{"counters", "race"}, []string{"against"}, differences, "launch one kernel at a time for that"},
	{"annotate", []string{"counters"}, []string{"json"}, allCounters, leaveOut},
	{"hang", []string{"budget", "deadline", "seed", "set", "grid", "block", "registers", "schedule", "progress-model", "device"}, []string{"describe"}, "it prints what the study is about, and runs nothing", leaveOut},
	{"run", []string{"threads"}, []string{"race", "pprof", "trace", "strict", "schedule", "progress-model", "explore"}, oneThread, leaveOut},
	{"launch", []string{"threads"}, []string{"race", "pprof", "trace", "annotate", "strict", "schedule", "progress-model", "explore"}, oneThread, leaveOut},
	{"run", []string{"sample"}, []string{"pprof", "trace", "detail", "explore"}, everything, leaveOut},
	{"launch", []string{"sample"}, []string{"pprof", "trace", "annotate", "explore"}, everything, leaveOut},
	{"run", oneRunFlags, []string{"sources", "protocol"}, "it is for one run", leaveOut},
	{"litmus", []string{"outcomes"}, []string{"json"}, "--json prints all outcomes", leaveOut},
	{"results", []string{"out", "format"}, []string{"run"}, "it prints everything about one run as text, or what was kept with it", leaveOut},
	{"sweep", []string{"timeout", "plots", "retry", "limit"}, []string{"dry-run"}, "nothing runs", leaveOut},
	{"annotate", []string{"top"}, []string{"json"}, allLines, leaveOut},
	{"annotate", []string{"counters", "race"}, []string{"against"}, differences, "run one scheduler at a time for that"},
}

// oneRunFlags are flags of a run that several of them cannot share.
var oneRunFlags = []string{
	"source", "answer", "expect", "tolerance", "detail", "cpu", "counters", "pprof", "trace", "monitor", "monitor-address", "race", "hang-dot", "hang-json",
	"schedule", "progress-model", "explore", "keep-going",
}

const leaveOut = "leave it out"

// checkFlags rejects flags that would be ignored beside others.
func checkFlags(cmd *cobra.Command, _ []string) error {
	for _, r := range flagRules {
		if r.command != cmd.Name() {
			continue
		}
		beside, flag := slices.IndexFunc(r.beside, cmd.Flags().Changed), slices.IndexFunc(r.flags, cmd.Flags().Changed)
		if beside >= 0 && flag >= 0 {
			return usage.Errorf(r.hint, "--%s does nothing beside --%s: %s", r.flags[flag], r.beside[beside], r.why)
		}
	}
	return nil
}

// checkAllFlags lets all commands check their flags before they begin.
func checkAllFlags(cmd *cobra.Command) {
	cmd.PreRunE = checkFlags
	for _, sub := range cmd.Commands() {
		checkAllFlags(sub)
	}
}
