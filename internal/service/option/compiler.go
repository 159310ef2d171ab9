package option

// These options say what is printed of a compiled kernel, and lists.
var (
	Program = declare(Option{
		Name: "program", Kind: Switch,
		Help: "print the code after register allocation",
	})

	Target = declare(Option{
		Name: "target", Kind: Text, Value: "ARCHITECTURE", Default: "sm_70",
		Help: "GPU architecture",
	})

	Watchdog = declare(Option{
		Name: "watchdog", Kind: Switch,
		Help: "make loops check the clock",
	})

	ReadOnlyPath = declare(Option{
		Name: "read-only-path", Kind: Switch,
		Help: "print the build for launches in which no buffer that the kernel only reads overlaps one that it writes",
	})

	YAML = declare(Option{
		Name: "yaml", Kind: Switch,
		Help: "for the parameters of one machine: print a machine file that --device accepts",
	})
)
