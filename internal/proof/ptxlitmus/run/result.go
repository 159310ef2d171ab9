package run

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
)

// Result is what the instances of a test showed.
type Result struct {
	Test      *ptxlitmus.Test
	Outcomes  []Outcome // in the order of their values
	Instances int
	Hangs     int // instances of which some thread never ends
	// Hang is the device's explanation of the first launch in which instances hang; nil if it has none.
	Hang     error
	Launches int
}

// Outcome is how instances end: the final values, those of Test.Outcome, and which threads never end.
type Outcome struct {
	Values []int32
	Hangs  uint64 // bit i: thread i, an index of Test.Threads, never ends; its registers have no final values
	Count  int
	Holds  bool // the condition of the test holds; false if it depends on a thread that never ends
	Final  bool // it does not depend on such a thread
	// Forbidden is set by Judge if the model does not allow the outcome.
	Forbidden bool
}

// result returns what has been counted.
func (c *counter) result() *Result {
	r := &Result{Test: c.test, Outcomes: slices.Clone(c.outcomes), Instances: c.total, Hangs: c.hangs, Hang: c.hang, Launches: c.launches}
	slices.SortFunc(r.Outcomes, func(a, b Outcome) int {
		if a.Hangs != b.Hangs {
			return int(a.Hangs) - int(b.Hangs)
		}
		return slices.Compare(a.Values, b.Values)
	})
	return r
}

// Name returns an outcome in the form "P0:r0=1 x=2", with "P1 hangs" for a thread that never ends.
func (r *Result) Name(o Outcome) string {
	var parts []string
	for i, v := range r.Test.Outcome() {
		if v.Reg == "" || o.Hangs>>v.Thread&1 == 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", v, o.Values[i]))
		}
	}
	for h := o.Hangs; h != 0; h &= h - 1 {
		parts = append(parts, fmt.Sprintf("P%d hangs", r.Test.Threads[bits.TrailingZeros64(h)].ID))
	}
	return strings.Join(parts, " ")
}

// Seen reports whether an instance showed what the condition is about: an outcome that satisfies it, or for a forall
// one that violates it.
func (r *Result) Seen() bool {
	return slices.ContainsFunc(r.Outcomes, func(o Outcome) bool {
		return o.Final && o.Holds != (r.Test.Quant == ptxlitmus.ForAll)
	})
}

// Holds reports whether the condition with its quantifier is true of what was observed.
func (r *Result) Holds() bool { return r.Seen() == (r.Test.Quant == ptxlitmus.Exists) }

// Allowed returns the outcomes that the PTX model allows, or says why they are not known.
func (r *Result) Allowed(ctx context.Context) (allowed [][]int32, why string) {
	m, err := ptxlitmus.Check(ctx, r.Test, ptxlitmus.Options{})
	switch {
	case err != nil:
		return nil, "not compared with the model: " + err.Error()
	case m.Unsupported != "":
		return nil, "not compared with the model: " + m.Unsupported
	case m.Bounded:
		return nil, "not compared with the model: a loop may go on longer than it looks"
	}
	for _, o := range m.Outcomes {
		allowed = append(allowed, o.Values)
	}
	return allowed, ""
}

// Judge marks the outcomes that are not among those that a model allows, by the values of Test.Outcome, and returns
// how many instances showed one. Instances with threads that never end are not judged: models say how executions end.
func (r *Result) Judge(allowed [][]int32) (forbidden int) {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		o.Forbidden = o.Hangs == 0 && !slices.ContainsFunc(allowed, func(v []int32) bool { return slices.Equal(v, o.Values) })
		if o.Forbidden {
			forbidden += o.Count
		}
	}
	return forbidden
}

// Check judges the outcomes by the model of PTX. It returns what Report.Judged says, and an error if the model forbids
// an outcome.
func (r *Result) Check(ctx context.Context) (judged string, err error) {
	allowed, why := r.Allowed(ctx)
	if why != "" {
		return why, nil
	}
	if n := r.Judge(allowed); n > 0 {
		return judgedPTX, fmt.Errorf("%s: %d of %d instances show what the PTX model forbids", r.Test.Name, n, r.Instances)
	}
	return judgedPTX, nil
}

// state is the final state of instance i of a launch. It implements ptxlitmus.State.
type state struct {
	test       *ptxlitmus.Test
	regs       [][]string
	n, threads int
	cells, out []uint32
	where      []uint32
	done, hung []uint32
	per        int // instances of a gang
	i          int
}

// ended is the mark of a thread that ended by itself. One that has a higher mark did so, too, if no barrier of its gang
// was released in the end.
const ended = 1

// hangs returns which threads never end.
func (s *state) hangs() (mask uint64) {
	for k := range s.threads {
		if d := s.done[k*s.n+s.i]; d < ended || d > ended && s.hung[s.i/s.per] > 0 {
			mask |= 1 << k
		}
	}
	return mask
}

// Register returns the final value of a register of thread k.
func (s *state) Register(k int, reg string) int32 {
	if slot := slices.Index(s.regs[k], reg); slot >= 0 {
		return int32(s.out[(slot*s.threads+k)*s.n+s.i])
	}
	return 0
}

// Memory returns the final value of a location.
func (s *state) Memory(loc string) int32 {
	v := slices.IndexFunc(s.test.Locations, func(l ptxlitmus.Location) bool { return l.Name == loc })
	return int32(s.cells[s.where[v*s.n+s.i]])
}

// counter counts outcomes.
type counter struct {
	test     *ptxlitmus.Test
	values   []ptxlitmus.Value
	index    map[string]int // by the bytes of hangs and values; -1 for what the test's filter leaves out
	outcomes []Outcome
	key      []byte
	total    int
	hangs    int
	hang     error
	launches int
}

func newCounter(t *ptxlitmus.Test) *counter {
	return &counter{test: t, values: t.Outcome(), index: map[string]int{}}
}

// add counts the state of an instance.
func (c *counter) add(s *state) {
	c.total++
	o := Outcome{Hangs: s.hangs(), Final: true}
	if o.Hangs != 0 {
		c.hangs++
	}
	c.key = binary.LittleEndian.AppendUint64(c.key[:0], o.Hangs)
	for _, v := range c.values {
		x := int32(0)
		if v.Reg != "" && o.Hangs>>v.Thread&1 != 0 {
			o.Final = false
		} else {
			x = v.In(s)
		}
		c.key = binary.LittleEndian.AppendUint32(c.key, uint32(x))
	}
	k, ok := c.index[string(c.key)]
	if !ok {
		k = -1
		if c.test.Filter == nil || !o.Final || c.test.Filter.Holds(s) {
			k = len(c.outcomes)
			for i := range c.values {
				o.Values = append(o.Values, int32(binary.LittleEndian.Uint32(c.key[8+4*i:])))
			}
			o.Holds = o.Final && c.test.Cond != nil && c.test.Cond.Holds(s)
			c.outcomes = append(c.outcomes, o)
		}
		c.index[string(c.key)] = k
	}
	if k >= 0 {
		c.outcomes[k].Count++
	}
}
