package option

import (
	"runtime"
	"time"

	"github.com/weft-gpu/weft/internal/base/progressbar"
)

// These options say what a sweep runs, and where.
var (
	Vary = declare(Option{
		Name: "vary", Kind: Each, Value: "NAME=VALUES",
		Help: "values of any other setting of a specification: seed=1:5:1",
	})

	WherePoints = declare(Option{
		Name: "where", Kind: Each, Key: "where", Value: "CONDITION",
		Help: "only the points for which this holds, as under where: of a specification: 'scheduler != thread'; may be repeated",
	})

	On = declare(Option{
		Name: "on", Kind: Text, Value: "DEVICE",
		Help: "run all points of a specification on this device instead of those that it names, without the parameters of their machines; points on func are left out",
	})

	DryRun = declare(Option{
		Name: "dry-run", Kind: Switch,
		Help: "say which points there are and how long they will take, and run none; --json lists each",
	})

	Retry = declare(Option{
		Name: "retry", Kind: Switch,
		Help: "run points again that failed or were not decided",
	})

	Timeout = declare(Option{
		Name: "timeout", Kind: Time, Value: "TIME",
		Help: "end a point that takes longer on this machine, as undecided; such as 10m",
	})

	ProgressInterval = declare(Option{
		Name: "progress", Kind: Time, Value: "TIME", Default: progressbar.Interval,
		Help: "how often a line of progress is printed where standard error is no terminal; 0 for never",
	})

	Jobs = declare(Option{
		Name: "jobs", Kind: Whole, Limits: from(1, 1024), Short: "j", Value: "N", Default: runtime.NumCPU(),
		Help: "with --times: rows that run at the same time; on a real GPU one does",
		Own: map[string]Form{
			"sweep":     {Help: "points that run at the same time"},
			"calibrate": {Help: "rows that are simulated at the same time"},
		},
	})

	Plots = declare(Option{
		Name: "plots", Kind: Text, Names: FolderNames, Value: "FOLDER",
		Help: "draw the plots: of the specification into this folder, at the end",
	})

	Engine = declare(Option{
		Name: "engine", Kind: Text, Value: "NAME", Default: "local",
		Help: "local: run here; slurm: run as job arrays of a cluster with Slurm",
	})

	Partition = declare(Option{
		Name: "partition", Kind: Text, Value: "NAME",
		Help: "with slurm: partition of the jobs",
	})

	TaskTime = declare(Option{
		Name: "time", Kind: Text, Value: "TIME",
		Help: "with slurm: time limit of a task, as sbatch reads it: 30, 2:00:00, 1-12",
	})

	TaskMemory = declare(Option{
		Name: "mem", Kind: Text, Value: "SIZE",
		Help: "with slurm: memory of a task, such as 4G",
	})

	Tasks = declare(Option{
		Name: "tasks", Kind: Whole, Limits: from(1, 1_000_000), Value: "N",
		Help: "with slurm: tasks among which the points are divided",
	})

	ArraySize = declare(Option{
		Name: "array-size", Kind: Whole, Limits: from(0, 1_000_000), Value: "N",
		Help: "with slurm: largest size of a job array; 0 for what the cluster allows",
	})

	MaxTasks = declare(Option{
		Name: "max-tasks", Kind: Whole, Limits: from(0, 1_000_000), Value: "N",
		Help: "with slurm: tasks that are submitted at the same time; 0 for all",
	})

	Retries = declare(Option{
		Name: "retries", Kind: Whole, Limits: from(0, 1_000_000), Value: "N", Default: 2,
		Help: "with slurm: submit a task again that ended without a new result so many times in a row",
	})

	Poll = declare(Option{
		Name: "poll", Kind: Time, Value: "TIME", Default: 10 * time.Second,
		Help: "with slurm: how often to ask Slurm, and to look for results",
	})

	SbatchOption = declare(Option{
		Name: "sbatch-option", Kind: Each, Value: "OPTION",
		Help: "with slurm: an option for sbatch, such as --account=me; may be repeated",
	})

	Cancel = declare(Option{
		Name: "cancel", Kind: Switch,
		Help: "with slurm: end the tasks of this study, and gather what they have",
	})

	Worker = declare(Option{Name: "worker", Kind: Text, Value: "FOLDER"})
)
