package device

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Race is a data race between two lines of a kernel: accesses of different threads to the
// same memory, at least one of which writes, that nothing orders and that are not both
// atomic or ordered accesses whose scope includes the other thread. The rules are those of
// the PTX memory model ("Data-Race-Free", section 8 of the PTX ISA).
type Race struct {
	// Kernel is that of the second access, or else of the first; "" if both are copies.
	Kernel string `json:"kernel"`
	// Kind says in a few words what is wrong.
	Kind RaceKind `json:"kind"`
	// Space is "global" or "shared". Name is the address as the host knows it, "dist[12]";
	// Buffer and Index are its parts. For a struct in shared memory Buffer is the field.
	Space  string `json:"space"`
	Name   string `json:"name"`
	Buffer string `json:"buffer"`
	Index  int64  `json:"index"`
	// GPU is that of a group which has the buffer; nil on a single device.
	GPU *int `json:"gpu,omitempty"`
	// First and Second are the accesses of one occurrence, in the order in which they were
	// executed: the first occurrence among those whose threads are farthest apart.
	First  RaceAccess `json:"first"`
	Second RaceAccess `json:"second"`
	// Fix says what orders two such accesses or, if Checked is not 0, what orders these.
	Fix string `json:"fix"`
	// Checked is the number of runs of the changed program, with other schedules among them, in which the two lines met
	// and did not race; 0 if no change was checked that orders them.
	Checked int `json:"checked"`
	// Count is how often these two lines raced.
	Count uint64 `json:"count"`
	// Racy is the reason that the source gives by "//weft:racy REASON" at one of the lines;
	// "" if the race is not marked as intended.
	Racy string `json:"racy,omitempty"`
	// Untried says why Fix is a rule that was not tried out; "" if Checked says that it was, or if nobody knows.
	Untried string `json:"untried,omitempty"`
}

// RaceKind is a kind of race.
type RaceKind string

// The kinds of races.
const (
	RacePlain  RaceKind = "plain accesses that nothing orders"
	RaceAtomic RaceKind = "a plain access and an atomic or ordered one that nothing orders"
	RaceScope  RaceKind = "the scope of an access does not include the other thread"
	RaceWidth  RaceKind = "accesses of different widths overlap"
	RaceProxy  RaceKind = "what is read for a copy in bulk or a product may not see a store behind which there is no fence of the asynchronous proxy"
)

// RaceAccess is one of the accesses of a race.
type RaceAccess struct {
	// What is the access as the source writes it: "plain store", "AtomicAdd (device scope)".
	What   string  `json:"what"`
	At     []Frame `json:"at"`     // innermost first, followed by the inlined calls
	Block  int     `json:"block"`  // index in the grid, x fastest
	Thread int     `json:"thread"` // index in the block, x fastest
	Warp   int     `json:"warp"`   // index in the block
	Lane   int     `json:"lane"`
	Shape  Shape   `json:"-"`
	// Kernel and PC are the compiled kernel and the number of its instruction; nil for a copy.
	Kernel *Kernel `json:"-"`
	PC     int     `json:"-"`
	// Command is the command of a Group that did the access; nil on a single device. For a copy
	// the other fields but What are not set.
	Command *RaceCommand `json:"command,omitempty"`
}

// RaceCommand says which command of a Group did an access of a race.
type RaceCommand struct {
	GPU    int    `json:"gpu"`
	Number int    `json:"number"`           // in the list of Group.Run; -1 for a launch for which the host waited
	Kernel string `json:"kernel,omitempty"` // of a launch
}

// String names the command: "command 2 on GPU 1".
func (c RaceCommand) String() string {
	if c.Number < 0 {
		return fmt.Sprintf("the launch on GPU %d", c.GPU)
	}
	return fmt.Sprintf("command %d on GPU %d", c.Number, c.GPU)
}

// String says which access it is, of which thread and where.
func (a RaceAccess) String() string {
	of := ""
	if c := a.Command; c != nil {
		if c.Kernel == "" {
			return fmt.Sprintf("%s, %s", a.What, c)
		}
		of = fmt.Sprintf(" of %s in %s", c.Kernel, c)
	}
	at := "?"
	if len(a.At) > 0 {
		at = a.At[0].String()
	}
	return fmt.Sprintf("%s at %s by block %s, warp %d, lane %d (thread %s)%s", a.What, at,
		a.Shape.BlockName(a.Block), a.Warp, a.Lane, a.Shape.ThreadName(a.Thread), of)
}

// String describes the race on several lines.
func (r Race) String() string {
	var s strings.Builder
	in := ""
	if r.Space == "shared" {
		in = " in shared memory"
	}
	if r.GPU != nil {
		in = fmt.Sprintf(" of GPU %d", *r.GPU)
	}
	if s.WriteString("race "); r.Kernel != "" {
		fmt.Fprintf(&s, "in kernel %s ", r.Kernel)
	}
	fmt.Fprintf(&s, "on %s%s", r.Name, in)
	if r.Count > 1 {
		fmt.Fprintf(&s, ", %d times", r.Count)
	}
	fmt.Fprintf(&s, ": %s", r.Kind)
	for _, a := range []*RaceAccess{&r.First, &r.Second} {
		fmt.Fprintf(&s, "\n\t%s", a)
		for i := 1; i < len(a.At); i++ {
			fmt.Fprintf(&s, "\n\t\t%s: inlined from here", a.At[i])
		}
	}
	if r.Racy != "" {
		fmt.Fprintf(&s, "\n\tintended: %s", r.Racy)
		return s.String()
	}
	switch {
	case r.Checked > 0:
		fmt.Fprintf(&s, "\n\tto order them, checked in %s: %s", runs(r.Checked), r.Fix)
	case r.Untried != "":
		fmt.Fprintf(&s, "\n\twhat orders such accesses (not tried: %s): %s", r.Untried, r.Fix)
	default:
		fmt.Fprintf(&s, "\n\twhat orders such accesses: %s", r.Fix)
	}
	return s.String()
}

// Races collects the races of the launches on a device, one for each pair of lines. A nil
// Races collects nothing, and the device then does not look for races. It is not safe for
// concurrent use.
type Races struct {
	found map[racePair]*Race
	// forgotten counts accesses that a device no longer compared with later ones.
	forgotten uint64
	watch     *Race
	met       bool
}

// racePair identifies races with the same cause: the lines of the two accesses, each with
// the lines of its inlined calls.
type racePair struct{ kernel, a, b string }

// NewRaces returns an empty Races.
func NewRaces() *Races { return &Races{found: map[racePair]*Race{}} }

// Add adds count occurrences of a race.
func (s *Races) Add(r Race) {
	key := racePair{r.Kernel, r.First.lines(), r.Second.lines()}
	if key.b < key.a {
		key.a, key.b = key.b, key.a
	}
	if have := s.found[key]; have != nil {
		r.Count += have.Count
		if r.Distance() <= have.Distance() {
			have.Count = r.Count
			return
		}
	}
	s.found[key] = &r
}

// Forget is called by a device for n accesses that it no longer compares with later ones, since too many threads have
// accessed a word without an order: a race with one of them is not found.
func (s *Races) Forget(n uint64) { s.forgotten += n }

// Forgotten returns the number of accesses of Forget.
func (s *Races) Forgotten() uint64 {
	if s == nil {
		return 0
	}
	return s.forgotten
}

// Watch asks a device to say whether the lines of a race meet in memory: whether different threads access a word there, in
// an order or in none. It is for devices and for tools that check what orders two accesses.
func (s *Races) Watch(r *Race) { s.watch = r }

// Watched returns the race of Watch; nil for none.
func (s *Races) Watched() *Race { return s.watch }

// Meet is called by a device when the lines of Watched meet.
func (s *Races) Meet() { s.met = true }

// Met reports whether the lines of Watched have met.
func (s *Races) Met() bool { return s.met }

// SameLines reports whether two races are between the same lines.
func (r *Race) SameLines(o *Race) bool {
	a, b, c, d := r.First.lines(), r.Second.lines(), o.First.lines(), o.Second.lines()
	return a == c && b == d || a == d && b == c
}

// On says whether an access at these positions is on the line of the first access of the race, and of the second.
func (r *Race) On(at []Frame) (first, second bool) {
	a := RaceAccess{At: at}
	lines := a.lines()
	return lines == r.First.lines(), lines == r.Second.lines()
}

// Distance says how far apart the two threads are: 0 in one warp, 1 in one block, 2 in
// different blocks or commands, 3 on different GPUs. Of races between the same lines the one with the largest distance is
// kept, since what orders its threads orders the others.
func (r *Race) Distance() int {
	if a, b := r.First.Command, r.Second.Command; a != nil && *a != *b {
		if a.GPU != b.GPU {
			return 3
		}
		return 2
	}
	switch {
	case r.First.Block != r.Second.Block:
		return 2
	case r.First.Warp != r.Second.Warp:
		return 1
	}
	return 0
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// lines is the line of an access with those of its inlined calls as a text, or else what it is.
func (a *RaceAccess) lines() string {
	if len(a.At) == 0 {
		return a.What
	}
	var s strings.Builder
	for _, f := range a.At {
		fmt.Fprintf(&s, "%s:%d;", f.File, f.Line)
	}
	return s.String()
}

// List returns the races in the order of their lines: those that the source does not mark
// as intended first.
func (s *Races) List() []Race {
	if s == nil {
		return nil
	}
	list := make([]Race, 0, len(s.found))
	for _, r := range s.found {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Race) int {
		return cmp.Or(cmp.Compare(min(len(a.Racy), 1), min(len(b.Racy), 1)), strings.Compare(a.Kernel, b.Kernel),
			byPlace(a.First.At, b.First.At), byPlace(a.Second.At, b.Second.At), strings.Compare(a.First.What+a.Second.What, b.First.What+b.Second.What))
	})
	return list
}

// byPlace compares positions by file, line, column and inlined calls.
func byPlace(a, b []Frame) int {
	return slices.CompareFunc(a, b, func(x, y Frame) int {
		return cmp.Or(strings.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
	})
}

// RaceErr returns a *RaceError for those races of a list that the source does not mark as
// intended; nil if there are none.
func RaceErr(list []Race) error {
	e := &RaceError{}
	for _, r := range list {
		if r.Racy == "" {
			e.Pairs++
			e.Count += r.Count
		}
	}
	if e.Pairs == 0 {
		return nil
	}
	return e
}

// RaceError reports that kernels had data races. The races themselves are in Races.
type RaceError struct {
	Pairs int    // of lines
	Count uint64 // occurrences
}

// Error says how many races there were.
func (e *RaceError) Error() string {
	what := "data race between a pair of lines"
	if e.Pairs > 1 {
		what = fmt.Sprintf("data races between %d pairs of lines", e.Pairs)
	}
	if e.Count == 1 {
		return what + ", once"
	}
	return fmt.Sprintf("%s, %d times", what, e.Count)
}
