package option

// These options say how a CUDA program is built and run.
var (
	Output = declare(Option{
		Name: "output", Kind: Text, Short: "o", Value: "FILE",
		Help: "write the program to this file; the default is the name of the first source without its ending",
	})

	Include = declare(Option{
		Name: "include", Kind: Each, Short: "I", Value: "FOLDER", Names: FolderNames,
		Help: "look for headers in this folder, too; may be repeated",
	})

	Define = declare(Option{
		Name: "define", Kind: Each, Short: "D", Value: "NAME=VALUE",
		Help: "define a macro, also without a value; may be repeated",
	})

	Standard = declare(Option{
		Name: "std", Kind: Text, Value: "STANDARD",
		Help: "version of C++: c++11, c++14, c++17, c++20",
	})

	Optimize = declare(Option{
		Name: "optimize", Kind: Text, Short: "O", Value: "LEVEL",
		Help: "optimize: 0 to 3; the default is 3 for kernels and 2 for the rest",
	})

	Arch = declare(Option{
		Name: "arch", Kind: Text, Value: "ARCHITECTURE", Default: "sm_70",
		Help: "GPU architecture for which kernels are compiled: %s",
	})

	PTXOnly = declare(Option{
		Name: "ptx", Kind: Switch,
		Help: "write the PTX of the kernels of one file, and no program",
	})

	CUDAReport = declare(Option{
		Name: "out", Kind: Text, Value: "FILE",
		Help: "write what the device did to this file, as JSON",
	})

	LaunchCost = declare(Option{
		Name: "launch-cost", Kind: Switch,
		Help: "launch an empty kernel before and after the program's own, too, and write how long it took",
	})

	Quiet = declare(Option{
		Name: "quiet", Kind: Switch, Short: "q",
		Help: "print no table of kernels at the end, only errors and races",
	})
)
