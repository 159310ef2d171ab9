//go:build !kernel

package multi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/scheme/vwc"
	"github.com/weft-gpu/weft/internal/scheme/warpseg"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of the parameters.
const (
	auto = "auto"

	baseWarpseg = "warpseg"
	baseThread  = "thread"
	baseWarp    = "warp"
	basePush    = "push"

	all       = "all"
	ms        = "ms"
	vrOffline = "vr-offline"
	vrOnline  = "vr-online"

	host  = "host"
	peer  = "peer"
	store = "store"

	onDevice = "device"

	both     = "both"
	pullOnly = "pull"
)

// teams are the type arguments for the numbers of lanes that share the arcs of a vertex in a persistent push.
var teams = map[string]string{"1": "scheduler.ThreadPerVertex", "8": "vwc.Lanes8", "32": "scheduler.WarpPerVertex"}

// kinds are the type arguments for the bases that pull.
var kinds = map[string]string{baseWarpseg: "multi.Segments", baseThread: "multi.Lanes", baseWarp: "multi.Warps"}

// New returns the scheme.
func New() scheduler.Scheme {
	block := scheduler.BlockParam()
	block.Default, block.Min = "0", 0
	block.Doc = "threads per block; 0: 128, or with direction=pull the largest of 1024, 512, 256 and 128 of which a block fits"
	return scheduler.Scheme{
		Name:    "multi",
		Doc:     "several GPUs, a range of the vertices each, which send each other values: ALL, MS or vertex refinement (Khorasani et al., PACT 2015)",
		Sources: []gpu.Package{Sources, warpseg.Sources, vwc.Sources},
		Groups:  true,
		Remote: map[string]scheduler.Cause{"inbox": scheduler.ForValues, "values": scheduler.ForValues, "next": scheduler.ForValues, "known": scheduler.ForFrontier,
			"heard": scheduler.ForCounters, scheduler.GroupBarrierWords: scheduler.ForBarriers},
		Params: append([]scheduler.Param{
			{Name: "base", Type: scheduler.WordParam, Words: []string{auto, baseWarpseg, baseThread, baseWarp, basePush}, Default: auto,
				Doc: "what a GPU does with its vertices: pull by Warp Segmentation, by a thread or by a warp per vertex, or push by warps; auto: warpseg, or push if the algorithm can only be pushed or runs in phases"},
			{Name: "exchange", Type: scheduler.WordParam, Words: []string{all, ms, vrOffline, vrOnline}, Default: vrOnline,
				Doc: "what a GPU sends: all values of its range (Medusa), those that another GPU reads (ms, Totem's maximal subset; vr-offline, the same by way of an outbox), or of these the ones that changed; with parameter tolerance of pagerank-pull, those that changed by more"},
			{Name: "transfer", Type: scheduler.WordParam, Words: []string{auto, host, peer, store}, Default: auto,
				Doc: "the way of values: through the memory of the host, or from GPU to GPU by copies (peer) or by kernels that store into the other's memory; auto: peer if all GPUs are linked"},
			{Name: "overlap", Type: scheduler.BoolParam, Default: "false",
				Doc: "whether a GPU computes its range in two halves and sends the first one during the second; bases that pull"},
			{Name: "loop", Type: scheduler.WordParam, Words: []string{host, onDevice}, Default: host,
				Doc: "what runs the iterations: the host, by launches and copies, or one kernel on each GPU, which stores into the memory of the others and waits for them; device: base push or auto, transfer auto and, for a push, exchange vr-online"},
			{Name: "direction", Type: scheduler.WordParam, Words: []string{auto, basePush, pullOnly, both}, Default: auto,
				Doc: "with loop=device: push, pull, or pull where the frontier has many arcs (both), which algorithms can in which one update settles a vertex, such as bfs; auto: both if the algorithm can, and pull if it cannot be pushed"},
			{Name: "pull-above", Type: scheduler.FloatParam, Default: "0.1", Max: 1, Doc: "with direction=both, part of all arcs: a frontier that has more is pulled"},
			{Name: "lanes", Type: scheduler.WordParam, Words: []string{"1", "8", "32"}, Default: "32", Unit: "lane", Doc: "lanes that share the arcs of a vertex with loop=device"},
			{Name: "blocks", Type: scheduler.IntParam, Default: "0", Max: 1 << 20, Unit: "block", Doc: "largest grid on a GPU with loop=device; 0: as many blocks as are resident"},
			{Name: "useful", Type: scheduler.BoolParam, Default: "true",
				Doc: "whether the kernels count the useful values of what is sent, which takes a few instructions per 32 vertices"},
			block,
			scheduler.MaxIterationsParam(),
		}, scheduler.PartitionParams()...),
		Quantities: append(scheduler.FrontierQuantities(),
			scheduler.Quantity{Name: "sent_bytes", Unit: "byte", Doc: "received by GPUs from other GPUs in the iteration; in a pull these are values of the previous iteration"},
			scheduler.Quantity{Name: "useful_bytes", Unit: "byte", Doc: "of these, values that the receiver reads and that changed since they were last sent"},
			scheduler.Quantity{Name: "compute_seconds", Unit: "s", Doc: "in which at least one GPU ran a kernel"},
			scheduler.Quantity{Name: "transfer_seconds", Unit: "s", Doc: "in which values were on their way"},
			scheduler.Quantity{Name: "overlap_seconds", Unit: "s", Doc: "in which both was so"},
		),
		Takes: func(a scheduler.Type, p scheduler.Values) error {
			base, err := baseOf(a, p)
			if err == nil && base == basePush && p.Bool("overlap") {
				return fmt.Errorf("overlap=true needs a base that pulls")
			}
			if err == nil && base == basePush && a.Counts() && p.Word("exchange") != vrOnline {
				return fmt.Errorf("updates of %s are counted and do not combine: each is sent, which needs exchange=vr-online", a.Name)
			}
			if err == nil && p.Word("loop") == host && (p.Word("lanes") != "32" || p.Int("blocks") != 0 || p.Word("direction") != auto || p.Float("pull-above") != 0.1) {
				return fmt.Errorf("direction, pull-above, lanes and blocks are of kernels that run all iterations: they need loop=device")
			}
			if err == nil && p.Word("loop") == onDevice {
				switch {
				case base != basePush && base != pullOnly:
					return fmt.Errorf("loop=device needs base=push or auto")
				case a.Unphased() != nil:
					return phaseless(a, "loop=device")
				case base == pullOnly && p.Word("base") != auto:
					return fmt.Errorf("direction=pull chooses how many threads share the arcs of a vertex: it needs base=auto")
				case base == pullOnly && p.Word("exchange") == vrOffline:
					return fmt.Errorf("direction=pull has no outboxes: it needs exchange=all, ms or vr-online")
				case base == pullOnly && p.Bool("overlap"):
					return fmt.Errorf("loop=device has no overlap: values are sent when all of a range are known")
				case base == pullOnly && p.Word("lanes") != "32":
					return fmt.Errorf("lanes is for pushes: direction=pull chooses how many threads share the arcs of a vertex")
				case base != pullOnly && p.Word("exchange") != vrOnline:
					return fmt.Errorf("loop=device sends what has changed: it needs exchange=vr-online")
				case p.Word("transfer") != auto:
					return fmt.Errorf("loop=device stores into the memory of the other GPUs: it needs transfer=auto")
				case p.Word("direction") == both && !settles(a):
					return fmt.Errorf("direction=both needs an algorithm in which one update settles a vertex, that can be pushed and pulled: with methods EarlyEnd and Settled, and Min or Max")
				case !pullsToo(a, p) && p.Float("pull-above") != 0.1:
					return fmt.Errorf("pull-above says when to pull: it needs direction=both, or auto with an algorithm that can be pulled so")
				}
			}
			return cmp.Or(err, scheduler.CheckPartition(p))
		},
		Kernels: entries,
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			return scheduler.RunDivided(ctx, j, runDivided)
		},
	}
}

// runDivided runs a job on ranges of its vertices.
func runDivided(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	switch base, err := baseOf(j.Algorithm, j.Params); {
	case err != nil:
		return nil, err
	case j.Algorithm.Phased && j.Params.Word("loop") == onDevice: // Takes does not know yet whether these parameters need phases
		return nil, phaseless(j.Algorithm, "loop=device")
	case base == pullOnly:
		return runPullAll(ctx, j)
	case j.Params.Word("loop") == onDevice:
		return runRounds(ctx, j)
	case base == basePush:
		return runPush(ctx, j)
	case j.Algorithm.Phased:
		return nil, phaseless(j.Algorithm, "base="+base)
	default:
		return runPull(ctx, j, base)
	}
}

// settles reports whether one update settles a vertex of an algorithm, so that a search can pull by a map of the vertices that are settled.
func settles(a scheduler.Type) bool {
	return a.Pushes() == nil && a.Pulls() == nil && a.Unphased() == nil && !a.Turns() && a.Idempotent() && a.EndsEarly()
}

// pullsToo reports whether a run with loop=device pulls as well.
func pullsToo(a scheduler.Type, p scheduler.Values) bool {
	return p.Word("loop") == onDevice && (p.Word("direction") == auto || p.Word("direction") == both) && settles(a)
}

// pullsAlone reports whether a run with loop=device pulls and never pushes.
func pullsAlone(a scheduler.Type, p scheduler.Values) bool {
	direction := p.Word("direction")
	return p.Word("loop") == onDevice && (direction == pullOnly || direction == auto && p.Word("base") == auto && a.Pushes() != nil && a.Pulls() == nil)
}

// baseOf returns the base for an algorithm, or an error if it cannot run the algorithm.
func baseOf(a scheduler.Type, p scheduler.Values) (string, error) {
	word := p.Word("base")
	if pullsAlone(a, p) {
		return pullOnly, a.Pulls()
	}
	if word == auto {
		word = baseWarpseg
		phases := a.Unphased() != nil || a.Phased && !p.Bool("overlap")
		if p.Word("loop") == onDevice || (phases || a.Pulls() != nil) && a.Pushes() == nil {
			word = basePush
		}
	}
	if word == basePush {
		return word, a.Pushes()
	}
	if a.Unphased() != nil {
		return word, phaseless(a, "base="+word)
	}
	return word, a.Pulls()
}

// entries returns the entry points for an algorithm.
func entries(a scheduler.Type) (list []scheduler.EntryPoint) {
	if a.Pulls() == nil && a.Unphased() == nil {
		for _, base := range []string{baseWarpseg, baseThread, baseWarp} {
			list = append(list, sending(a, base), pulling(a, base))
		}
		if a.Tolerates() {
			for _, base := range []string{baseWarpseg, baseThread, baseWarp} {
				list = append(list, refining(a, base))
			}
		}
		list = append(list, emptying(a), packing(a), unpacking(a), pullingAll(a))
	}
	if a.Pushes() == nil {
		list = append(list, pushing(a), beginning(a), collecting(a), merging(a, "Merge"), merging(a, "MergeFixed"))
		if a.Phased {
			list = append(list, nextPhase(a), enterPhase(a))
		}
	}
	if a.Pushes() == nil && a.Unphased() == nil {
		list = append(list, beginningAll(a))
		for _, lanes := range slices.Sorted(maps.Keys(teams)) {
			list = append(list, pushingAll(a, lanes))
			if settles(a) {
				list = append(list, pushingAndPulling(a, lanes))
			}
		}
	}
	list = append(list, storing(a.Value.String()))
	if a.Value.Kind() != reflect.Uint64 {
		list = append(list, storing("uint64"))
	}
	return append(list, scheduler.SetupKernels(a)...)
}

// entry returns the entry point of a kernel with the algorithm and its values as type
// arguments, and others between them.
func entry(kernel, what string, a scheduler.Type, more ...string) scheduler.EntryPoint {
	name := "multi." + kernel + "[" + a.Name
	for _, m := range more {
		name += ", " + m
	}
	return scheduler.EntryPoint{Name: fmt.Sprintf("%s, %s]", name, a.Value), What: what}
}

func pulling(a scheduler.Type, base string) scheduler.EntryPoint {
	return entry("Pull", "one pull iteration over a range", a, kinds[base])
}

func sending(a scheduler.Type, base string) scheduler.EntryPoint {
	return entry("PullSend", "one pull iteration over a range, with the outbox", a, kinds[base])
}

func refining(a scheduler.Type, base string) scheduler.EntryPoint {
	return entry("PullRefine", "one pull iteration over a range, with the outbox, which small changes do not enter", a, kinds[base])
}

func packing(a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("multi.Pack[%s]", a.Value), What: "values of fixed vertices, to send them"}
}

func unpacking(a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("multi.Unpack[%s]", a.Value), What: "values of an inbox to fixed vertices"}
}

func pushing(a scheduler.Type) scheduler.EntryPoint {
	return entry("Push", "one push iteration over a range", a, "scheduler.WarpPerVertex")
}

func pushingAll(a scheduler.Type, lanes string) scheduler.EntryPoint {
	return entry("PushAll", "all push iterations over a range, with the GPUs waiting for each other", a, teams[lanes])
}

func pullingAll(a scheduler.Type) scheduler.EntryPoint {
	return entry("PullAll", "all pull iterations over a range, with the GPUs waiting for each other", a)
}

func pushingAndPulling(a scheduler.Type, lanes string) scheduler.EntryPoint {
	return entry("BothAll", "all iterations over a range, pushes and pulls, with the GPUs waiting for each other", a, teams[lanes])
}

func beginningAll(a scheduler.Type) scheduler.EntryPoint {
	return entry("BeginAll", "first frontiers of a range, for all push iterations", a)
}

func beginning(a scheduler.Type) scheduler.EntryPoint {
	return entry("Begin", "first frontier of a range", a)
}

// collecting is the kernel that fills an outbox: with what replicas have combined, or with updates that do not combine.
func collecting(a scheduler.Type) scheduler.EntryPoint {
	if a.Counts() {
		return scheduler.EntryPoint{Name: fmt.Sprintf("multi.CollectSingle[%s]", a.Value), What: "updates that do not combine for another GPU to an outbox"}
	}
	return entry("Collect", "updates for another GPU to an outbox", a)
}

func merging(a scheduler.Type, kernel string) scheduler.EntryPoint {
	return entry(kernel, "updates of an inbox to their vertices", a)
}

func storing(elem string) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: "multi.Store[" + elem + "]", What: "what is sent, to the memory of another GPU"}
}

func emptying(a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("multi.Empty[%s]", a.Value), What: "pairs of an inbox to their vertices"}
}
