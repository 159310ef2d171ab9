package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
	"github.com/weft-gpu/weft/internal/service/option"
)

func (a *app) cudaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cuda",
		Short: "Build CUDA programs without NVIDIA's toolkit, and run them on a simulated GPU",
		Long: `"weft cuda build" compiles a CUDA program by clang, with headers of weft's own, and
"weft cuda run" runs it on a device of weft. The program is not changed. "weft cuda compare"
compares the times of two runs. docs/cuda.md says what is supported.`,
		Example: "  weft cuda build prog.cu",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usage.Unknown("command", "cuda "+args[0], []string{"cuda build", "cuda run", "cuda compare"}, "weft cuda --help")
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.cudaBuildCommand(), a.cudaRunCommand(), a.cudaCompareCommand())
	return cmd
}

func (a *app) cudaBuildCommand() *cobra.Command {
	var q toolkit.Request
	cmd := &cobra.Command{
		Use:   "build FILE... [-o PROGRAM] [-- FLAGS OF CLANG]",
		Short: "Build a CUDA program by clang, with headers and a runtime of weft's own",
		Long: `Compiles .cu files (and .cpp, .cc, .cxx, .c) and links them, with .o, .a and .so files,
to a program that "weft cuda run" runs. It needs clang 16 or later (clang-19 is tested),
which $WEFT_CLANG may name, and nothing of NVIDIA's.

Each .cu file is a module of its own: a kernel calls functions and uses variables of its
own file, as with nvcc without -rdc. Errors and warnings are those of clang.`,
		Example: `  weft cuda build prog.cu
  weft cuda build main.cu kernels.cu helpers.cpp -o prog -I include -D SIZE=64 --std=c++20
  weft cuda build prog.cu -- -ffast-math -lz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Files = args
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				q.Files, q.Flags = args[:n], args[n:]
			}
			q.Stderr = a.stderr
			return toolkit.Build(cmd.Context(), q)
		},
	}
	flag(cmd, &q.Output, option.Output)
	flag(cmd, &q.Includes, option.Include)
	flag(cmd, &q.Defines, option.Define)
	flag(cmd, &q.Standard, option.Standard)
	flag(cmd, &q.Optimize, option.Optimize)
	flag(cmd, &q.Arch, option.Arch, strings.Join(toolkit.Arches(), ", "))
	flag(cmd, &q.PTX, option.PTXOnly)
	return cmd
}
