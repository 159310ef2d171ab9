package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim/config"
)

// nameLists has the names of each set, for shells that complete what is being typed ("weft completion --help"). After an
// equals sign or a colon the user goes on writing.
var nameLists = map[option.NameSet]func() []string{
	option.DeviceNames: devices.Names,
	option.SchedulerNames: func() []string {
		return append(namesOf(catalog.Schedulers(), func(s scheduler.Scheme) string { return s.Name }), choice.Name)
	},
	option.AlgorithmNames: func() []string {
		return namesOf(catalog.Algorithms(), func(a catalog.Algorithm) string { return a.Name })
	},
	option.GraphNames: func() []string {
		names := []string{graph.DemoName}
		for _, name := range graphs.GeneratorNames() {
			names = append(names, name+":")
		}
		return names
	},
	option.ParameterNames: func() (names []string) {
		for _, p := range config.Parameters() {
			names = append(names, p.Path+"=")
		}
		return names
	},
	option.ModelNames: progress.ModelNames,
}

func namesOf[T any](list []T, name func(T) string) (names []string) {
	for _, x := range list {
		names = append(names, name(x))
	}
	return names
}

// complete lets shells complete the values of an option's flag.
func complete(cmd *cobra.Command, o *option.Option) {
	if o.Names == option.FolderNames {
		_ = cmd.MarkFlagDirname(o.Name) // fails only for a flag that does not exist
		return
	}
	if names := nameLists[o.Names]; names != nil {
		_ = cmd.RegisterFlagCompletionFunc(o.Name, completer(names, o))
	}
}

// completer returns the names that begin as the last part of a list does; for a graph, files too.
func completer(names func() []string, o *option.Option) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (found []cobra.Completion, how cobra.ShellCompDirective) {
		before := ""
		if i := strings.LastIndexByte(typed, ','); i >= 0 && (o.Kind == option.List || o.Names == option.ParameterNames) {
			before = typed[:i+1]
		}
		how = cobra.ShellCompDirectiveNoFileComp
		if o.Names == option.GraphNames {
			how = cobra.ShellCompDirectiveDefault
		}
		for _, name := range names() {
			if strings.HasPrefix(before+name, typed) {
				found = append(found, before+name)
			}
			if strings.HasSuffix(name, "=") || strings.HasSuffix(name, ":") {
				how |= cobra.ShellCompDirectiveNoSpace
			}
		}
		slices.Sort(found)
		return found, how
	}
}

// completeArguments lets shells complete the algorithm with which the arguments of commands begin.
func completeArguments(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if _, what, _ := strings.Cut(cmd.Use, " "); strings.HasPrefix(strings.TrimLeft(what, "["), "ALGORITHM") && cmd.ValidArgs == nil {
			cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveDefault
				}
				found, _ := completer(nameLists[option.AlgorithmNames], &option.Option{})(cmd, args, typed)
				return found, cobra.ShellCompDirectiveDefault // or ./dir.Type
			}
		}
		completeArguments(cmd)
	}
}
