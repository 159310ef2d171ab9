package command

// notPaired are flags that are left out of the pairs, by command or flag, with the reason.
var notPaired = map[string]string{
	"--check":           "real GPUs alone have it: TestNeeds of package devices",
	"--deadline":        "real GPUs alone have it: TestNeeds of package devices",
	"--allow-unwritten": "func alone has it: TestNeeds of package devices",
	"--monitor":         "needs a browser: TestMonitor",
	"--monitor-address": "goes with --monitor",
	"--budget":          "launch/long tries it",
	"--device":          "part of the command line",
	"--arg":             "part of the command line",
	"--bind":            "TestLaunch",
	"--tolerance":       "shows only where floats differ: TestExpect, TestLaunchCompare",

	"run --sample": "TestSampleRefuses tries what it does nothing beside", "launch --sample": "TestSampleLaunch, TestSampleRefuses",
	"run --threads": "changes nothing but the time: TestThreads of package difftest", "launch --threads": "changes nothing but the time",
	"run --strict": "launch/undefined tries it", "annotate --strict": "launch/undefined tries it",
	"run --format": "shows only where content and name do not tell", "annotate --format": "shows only where content and name do not tell",
	"graph --format": "shows only where content and name do not tell", "compare --format": "shows only where content and name do not tell",

	"cuda build": "prints nothing: TestCUDABuild", "cuda run": "needs a program that clang compiles: TestCUDARun", "cuda compare": "has one flag: TestCUDACompare",

	"bench": "prints times alone", "bench sim": "prints times alone", "record": "needs a real GPU", "calibrate": "takes minutes: TestHeavyCalibrate",

	"run --hang-dot": "launch/hangs tries it", "annotate --hang-dot": "launch/hangs tries it", "run --hang-json": "launch/hangs tries it", "annotate --hang-json": "launch/hangs tries it",
	"hang --all": "TestHangRefuses", "hang --describe": "TestFlagRules", "hang --seed": notShown, "hang --keep-going": "launch/fails tries it", "run --keep-going": "launch/fails tries it", "annotate --keep-going": "is refused", "annotate --explore": "is refused",
	"plot --reduce": "shows only for several runs: TestPlot", "plot --spread": "shows only for several runs: TestPlot", "progress --threads": notShown, "launch --explore": "launch/fails tries it",
	"hang --grid": "is --set blocks", "launch --grid": "part of the command line", "launch --block": "part of the command line",
	"progress --grid": "part of the command line", "progress --block": "part of the command line", "progress --run": "part of the command line",
	"progress --seed": notShown, "progress --set": notShown, "progress --budget": notShown, "progress --shared": notShown, "micro --repeat": notShown, "micro --seed": notShown,
	"micro --gpus": "takes minutes", "micro --heavy": "takes minutes", "micro --only": "part of the command line",
	"litmus --model": "part of the command line", "litmus --instances": "part of the command line", "litmus --bound": notShown,
	"run --cpu": "other times each time: TestCPU", "annotate --cpu": "other times each time: TestCPU", "compare --all": mode, "compare --micro": mode, "compare --counters": mode, "compare --times": mode, "compare --gpu": mode, "compare --ncu": mode, "compare --light": mode, "compare --limit": mode, "compare --record": "TestCompareOwnRecord", "list --record": "TestCompareOwnRecord",
	"compare --graphs": mode, "compare --max-arcs": mode, "compare --only": mode, "compare --jobs": mode, "compare --with": "part of the command line", "compare --graph": "part of the command line",
	"plot --a": kinds, "plot --b": kinds, "plot --record": kinds, "plot --value": kinds, "plot --logx": kinds, "plot --kind": "part of the command line",
	"plot --x": "part of the command line", "plot --y": "part of the command line", "plot --spec": "TestPlotSpec", "report --spec": "TestReportSpec",
	"results compare":  "two selections and what to compare: TestResultsCompare",
	"results --record": "TestRecordOfStore", "results --others": "TestRecordOfStore",
	"sweep --limit": "shows only in work that takes longer: TestRecordOfStore", "sweep --on": "goes with a specification: TestSweepOn", "sweep --where": "TestRecordOfStore", "sweep --graphs": "TestRecordOfStore",
	"sweep --graph": "part of the command line", "sweep --out": "part of the command line", "sweep --jobs": "takes as long, and prints the same",
	"sweep --retry": "shows only after a failure: TestSweep", "sweep --progress": "shows only in work that takes longer, and is no result: TestSweepProgress", "sweep --plots": "goes with a specification: TestSweep", "sweep --engine": slurmAlone,
	"sweep --partition": slurmAlone, "sweep --time": slurmAlone, "sweep --mem": slurmAlone, "sweep --tasks": slurmAlone, "sweep --array-size": slurmAlone,
	"sweep --max-tasks": slurmAlone, "sweep --retries": slurmAlone, "sweep --poll": slurmAlone, "sweep --sbatch-option": slurmAlone, "sweep --cancel": slurmAlone,
}

const (
	notShown   = "changes what happens, and the report says only how it ended"
	mode       = "selects what is compared, or goes with that alone: TestCompareRefuses"
	kinds      = "goes with another kind of picture: TestPlot"
	slurmAlone = "goes with --engine slurm alone: TestSlurm"
)

var graphFlags = []string{"--drop-isolated", "--permute 3", "--power 2", "--symmetrize", "--weights unit"}

var deviceFlagPairs = []string{
	"--gpus 1", "--set l2.latency=200", "--seed 5 | --set jitter.message=50", "--json", "--counters", "--race", "--pprof p.pb.gz", "--trace t.json",
	"--schedule '{\"shuffle\":true,\"seed\":3}'", "--progress-model obe",
}

var runFlagPairs = append(append([]string{
	"--scheduler thread", "--graph @/small.mtx", "--source 4", "--param delta=3", "--block 64", "--max-iterations 1", "--no-verify",
	"--expect @/answer.txt", "--answer answer.txt", "--detail launches=1-2",
}, graphFlags...), deviceFlagPairs...)

// ended are flags that end a run before the others show.
var ended = map[string]string{
	"* --budget":                "the run ends before",
	"* --max-iterations":        "the run ends before",
	"* --states":                "the search ends before",
	"* --max-executions":        "the search ends before",
	"--drop-isolated --explore": "no schedule has isolated vertices",
	"--ratio --where":           "the baseline alone is left",
	"--series --out":            "there is one graph",
	"--where --limit":           "the run that is left is the first one, too",
	"--launches --json":         "the test hangs in its first launch",
	"--instances --json":        "the test hangs in its first launch",
}

// anyway are flags that a single test under a single model needs not.
var anyway = map[string]string{
	"--counterexample *":       "the text of one test under one model has it anyway",
	"* --states":               "the search ends before",
	"--model --write-schedule": "it needs it",
}

// unheld are flags beside those with which nothing hangs, or the default schedule hangs at once.
var unheld = map[string]string{
	"--hang-dot --schedule":        "nothing hangs under it",
	"--hang-json --schedule":       "nothing hangs under it",
	"--hang-dot --progress-model":  "nothing hangs under it",
	"--hang-json --progress-model": "nothing hangs under it",
	"--block --explore":            "its report does not print the launch",
	"--set --explore":              "its report does not print the machine",
}

const lockArgs = " --grid 4 --block 1 --device sim:tiny --arg lock=zeros:2 --arg private=iota:64 --arg count=zeros:8"

var pairings = []pairing{
	{name: "run", base: "run sssp --device sim:tiny --graph @/demo.mtx", flags: append([]string{"--explore 2", "--sources 2", "--component largest | --sources 3", "--protocol gap | --sources 2"}, runFlagPairs...), hidden: ended},
	{name: "annotate", base: "annotate sssp --device sim:tiny --graph @/demo.mtx", flags: append([]string{"--top 1", "--against thread"}, runFlagPairs...), hidden: ended},
	{name: "launch", base: "launch @.Add --device sim:tiny --grid 6 --block 64 --arg n=300 --arg x=random:n --arg y=iota:n --arg out=zeros:n --arg order=zeros:64 --arg next=0", flags: append([]string{
		"--shared 512", "--cluster 2", "--cooperative", "--registers 64", "--repeat 2", "--print order", "--save order=o.txt", "--compare-with func",
		"--answer out | --compare-with func", "--tolerance 1e-3 | --compare-with func", "--annotate", "--against @.Twice | --annotate", "--top 1 | --annotate",
	}, deviceFlagPairs...), hidden: ended},
	{name: "launch/explore", base: "launch @.Add --device sim:tiny --grid 3 --block 64 --arg n=300 --arg x=random:n --arg y=iota:n --arg out=zeros:n --arg order=zeros:64 --arg next=0 --explore 2", flags: []string{
		"--compare-with func", "--answer out", "--json", "--race", "--seed 5", "--set l2.latency=200", "--progress-model obe", "--repeat 2",
	}, hidden: ended},
	{name: "launch/fails", base: "launch %/internal/proof/explore/testdata/racy.Locks --explore 30" + lockArgs, flags: []string{
		"--keep-going", "--json", "--race", "--hang-dot h.dot", "--hang-json h.json", "--answer count", "--seed 7",
	}},
	{name: "launch/hangs", base: "launch @.Spin --device sim:tiny --grid 1 --block 32 --arg word=0", flags: append([]string{
		"--hang-dot h.dot", "--hang-json h.json", "--annotate", "--print word",
	}, "--gpus 1", "--set sm.count=1", "--json", "--counters", "--race", "--pprof p.pb.gz", "--trace t.json"), hidden: ended},
	{name: "launch/undefined", base: "launch @.Part --device sim:tiny --grid 2 --block 48 --arg x=zeros:96", flags: []string{
		"--strict", "--repeat 2", "--gpus 1", "--set l2.latency=200", "--json", "--counters", "--race", "--pprof p.pb.gz", "--trace t.json", "--annotate", "--explore 2", "--compare-with sim:k40",
	}, hidden: map[string]string{"* --strict": "ends the launch", "--repeat --explore": "its report does not print the launch"}},
	{name: "launch/long", base: "launch @.Long --device sim:tiny --grid 3 --block 32 --arg n=2000 --arg out=zeros:4", flags: []string{
		"--budget 10000", "--repeat 2", "--gpus 1", "--set l2.latency=200", "--json", "--counters", "--race", "--pprof p.pb.gz", "--trace t.json", "--progress-model obe",
	}, hidden: ended},
	{name: "hang/ends", base: "hang barrier-counter --device sim:tiny --set blocks=2", flags: []string{
		"--block 32", "--set sm.count=1", "--json", "--progress-model obe", "--explore 2",
	}, hidden: ended},
	{name: "hang/hangs", base: "hang lock-order --device sim:tiny", flags: []string{
		"--block 64", "--set sm.count=1", "--json", "--hang-dot h.dot", "--hang-json h.json",
		"--schedule '{\"pauses\":[{\"block\":1,\"step\":0}]}'", "--progress-model obe", "--explore 2",
	}, hidden: unheld},
	{name: "hang/largest", base: "hang barrier-simdx --device sim:tiny", flags: []string{"--registers 20", "--set threads=64", "--largest", "--json"}, hidden: ended},
	{name: "graph", base: "graph @/demo.mtx", flags: append([]string{"--json"}, graphFlags...)},
	{name: "ir", base: "ir bfs", flags: []string{"--program", "--scheduler thread"}},
	{name: "ptx", base: "ptx bfs", flags: []string{"--check", "--watchdog", "--read-only-path", "--scheduler thread", "--target sm_90"}},
	{name: "list", base: "list parameters tiny", flags: []string{"--json", "--yaml"}},
	{name: "version", base: "version", flags: []string{"--json"}},
	{name: "micro", base: "micro --device sim:tiny --only arithmetic", flags: []string{"--json", "--set latency.alu=9"}},
	{name: "compare", base: "compare sssp --device sim:tiny --with func --graph @/demo.mtx", flags: append([]string{
		"--scheduler thread", "--param delta=3", "--source 4", "--set l2.latency=200", "--seed 5 | --set jitter.message=50", "--json", "--gpus 1",
	}, graphFlags...)},
	{name: "litmus/run", base: "litmus @/sb.litmus --device sim:tiny --instances 64", flags: []string{
		"--seeds 3", "--seed 9", "--set l2.latency=300", "--json",
	}, hidden: ended},
	{name: "litmus/model", base: "litmus @ --model ptx", flags: []string{"--max-executions 1", "--json", "--outcomes", "--witness", "--expect @/sb.csv"}, hidden: ended},
	{name: "progress/decide", base: "progress @/2t_2i_0.txt", flags: []string{
		"--model obe", "--json", "--expect @/progress.csv", "--counterexample", "--states 3", "--write-schedule s.json | --model obe",
	}, hidden: anyway},
	{name: "progress/run", base: "progress @/2t_2i_0.txt --run --device sim:tiny", flags: []string{
		"--model lobe", "--json", "--as lanes", "--launches 3", "--instances 2", "--schedule @/schedule.json",
	}, hidden: ended},
	{name: "progress/kernel", base: "progress @.Meet --grid 2 --block 1 --arg n=0", flags: []string{
		"--model obe", "--json", "--counterexample", "--states 3", "--write-schedule s.json | --model obe", "--cluster 2",
	}, hidden: anyway},
	{name: "results", base: "results @/STORE", flags: []string{
		"--where scheduler!=warp", "--columns cycles", "--order cycles", "--limit 1", "--sql 'select id from runs'", "--names", "--run 1", "--attachment result | --run 1",
		"--format csv", "--out o.txt",
	}, hidden: ended},
	{name: "plot", base: "plot @/STORE --kind bars --x scheduler --y cycles", flags: []string{
		"--out o.svg", "--format png", "--facet graph", "--where scheduler=warp", "--logy", "--baseline scheduler=warp", "--ratio relative | --baseline scheduler=warp",
		"--title T", "--xlabel X", "--ylabel Y", "--width 7", "--height 5", "--series graph",
	}, hidden: ended},
	{name: "report", base: "report @/STORE", flags: []string{"--out o.html", "--title T", "--where scheduler=warp", "--annotate 1"}},
	{name: "sweep", base: "sweep bfs --graph @/demo.mtx --device sim:tiny --out o.db", flags: []string{
		"--scheduler warp,thread", "--set l2.latency=100,200", "--param block=64,128", "--vary seed=1:2:1", "--json", "--dry-run", "--timeout 1ns",
	}},
}
