package ptxlitmus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// interleave returns the final states of all interleavings of the threads over one
// memory. It is an oracle for the axioms, written without them: each of these states is
// allowed, and if everything is ordered, no other.
func interleave(t *Test) map[string]bool {
	type machine struct {
		pc   []int
		regs []map[string]int32
		mem  map[string]int32
	}
	outcomes, seen := map[string]bool{}, map[string]bool{}
	var run func(m machine)
	run = func(m machine) {
		key := fmt.Sprint(m)
		if seen[key] {
			return
		}
		seen[key] = true
		ended := true
		for i, th := range t.Threads {
			if m.pc[i] == len(th.Code) {
				continue
			}
			ended = false
			in := th.Code[m.pc[i]]
			n := machine{slices.Clone(m.pc), nil, map[string]int32{}}
			for _, r := range m.regs {
				c := map[string]int32{}
				for k, v := range r {
					c[k] = v
				}
				n.regs = append(n.regs, c)
			}
			for k, v := range m.mem {
				n.mem[k] = v
			}
			value := func(o Operand) int32 {
				if o.Reg != "" {
					return m.regs[i][o.Reg]
				}
				return o.Const
			}
			n.pc[i]++
			old := m.mem[in.Loc]
			switch in.Op {
			case Load:
				n.regs[i][in.Dst] = old
			case Store:
				n.mem[in.Loc] = value(in.A)
			case Atom:
				n.regs[i][in.Dst] = old
				switch {
				case in.Binary != CAS:
					n.mem[in.Loc] = in.Binary.Of(old, value(in.A))
				case old == value(in.A):
					n.mem[in.Loc] = value(in.B)
				}
			case Red:
				n.mem[in.Loc] = in.Binary.Of(old, value(in.A))
			case Local:
				n.regs[i][in.Dst] = in.Binary.Of(value(in.A), value(in.B))
			case Branch:
				if in.Cmp.Of(value(in.A), value(in.B)) {
					n.pc[i] = in.Target
				}
			case Goto:
				n.pc[i] = in.Target
			}
			run(n)
		}
		if ended {
			var values []int32
			for _, v := range t.Outcome() {
				if v.Loc != "" {
					values = append(values, m.mem[v.Loc])
				} else {
					values = append(values, m.regs[v.Thread][v.Reg])
				}
			}
			outcomes[formatValues(values)] = true
		}
	}
	m := machine{make([]int, len(t.Threads)), nil, map[string]int32{}}
	for range t.Threads {
		m.regs = append(m.regs, map[string]int32{})
	}
	for _, l := range t.Locations {
		m.mem[l.Name] = l.Value
	}
	run(m)
	return outcomes
}

// randomTest returns the text of a random test. If ordered, all accesses are strong
// enough to see each other, with a sequentially consistent fence between any two.
func randomTest(rng *rand.Rand, ordered bool) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	scope := func() string {
		if ordered {
			return "gpu"
		}
		return pick("cta", "gpu", "sys")
	}
	threads := 2 + rng.IntN(2)
	rows := 5 - threads
	code := make([][]string, threads)
	var conds []string
	for i := range code {
		reg := 0
		for range rows {
			loc, value := pick("x", "y"), fmt.Sprint(1+rng.IntN(2))
			if reg > 0 && rng.IntN(3) == 0 {
				value = "r0"
			}
			var in string
			switch rng.IntN(6) {
			case 0, 1:
				in = fmt.Sprintf("ld.%s r%d, %s", pick("relaxed."+scope(), "acquire."+scope()), reg, loc)
				if !ordered && rng.IntN(2) == 0 {
					in = fmt.Sprintf("ld.weak r%d, %s", reg, loc)
				}
				reg++
			case 2, 3:
				in = fmt.Sprintf("st.%s %s, %s", pick("relaxed."+scope(), "release."+scope()), loc, value)
				if !ordered && rng.IntN(2) == 0 {
					in = fmt.Sprintf("st.weak %s, %s", loc, value)
				}
			case 4:
				in = fmt.Sprintf("atom.%s.%s.%s r%d, %s, %s", pick("relaxed", "acquire", "release", "acq_rel"), scope(), pick("add", "exch", "max", "xor"), reg, loc, value)
				reg++
			case 5:
				in = fmt.Sprintf("atom.%s.%s.cas r%d, %s, %d, %s", pick("relaxed", "acq_rel"), scope(), reg, loc, rng.IntN(2), value)
				reg++
			}
			code[i] = append(code[i], in)
			switch {
			case ordered:
				code[i] = append(code[i], "fence.sc.gpu")
			case rng.IntN(3) == 0:
				code[i] = append(code[i], fmt.Sprintf("fence.%s.%s", pick("sc", "acq_rel"), scope()))
			}
		}
		if reg > 0 && rng.IntN(3) == 0 { // a branch over the last access
			code[i] = slices.Insert(code[i], len(code[i])-1, pick("beq", "bne", "blt")+" r0, 1, LC00")
			code[i] = append(code[i], "LC00:")
		}
		for r := range reg {
			conds = append(conds, fmt.Sprintf("P%d:r%d == 0", i, r))
		}
	}
	var s strings.Builder
	s.WriteString("PTX random\n{ x=0; y=0; }\n")
	for i := range code {
		end := map[bool]string{true: " ;\n", false: " | "}[i == threads-1]
		fmt.Fprintf(&s, "P%d@cta %d,gpu 0%s", i, rng.IntN(2), end)
	}
	for row := 0; ; row++ {
		line, any := "", false
		for i := range code {
			if i > 0 {
				line += " | "
			}
			if row < len(code[i]) {
				line += code[i][row]
				any = true
			}
		}
		if !any {
			break
		}
		s.WriteString(line + " ;\n")
	}
	fmt.Fprintf(&s, "exists (%s)\n", strings.Join(append(conds, "x == 0", "y == 0"), ` /\ `))
	return s.String()
}

// TestInterleavings checks the axioms against interleavings on random tests: whatever an
// interleaving gives is allowed; where sequentially consistent fences of a common scope
// stand between all accesses, nothing else is.
func TestInterleavings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	weaker := 0
	for i := range 300 {
		ordered := i%3 == 0
		src := randomTest(rng, ordered)
		test, err := Parse("random.litmus", src)
		require.NoError(t, err, src)
		r, err := Check(context.Background(), test, Options{})
		require.NoError(t, err, src)
		allowed := map[string]bool{}
		for _, o := range r.Outcomes {
			allowed[formatValues(o.Values)] = true
		}
		sc := interleave(test)
		for o := range sc {
			require.True(t, allowed[o], "%s\nis not allowed in\n%s", o, src)
		}
		switch {
		case ordered:
			require.Len(t, allowed, len(sc), "%v\n%v\n%s", allowed, sc, src)
		case len(allowed) > len(sc):
			weaker++
		}
	}
	assert.Greater(t, weaker, 30) // the tests do show weak behaviour
}
