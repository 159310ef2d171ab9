package ptxlitmus

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAliases decides tests whose answers follow from one sentence of the ISA each.
func TestAliases(t *testing.T) {
	for _, c := range []struct {
		why, init, head, code, cond string
		want                        bool
	}{
		{"aliases share memory: the final value is seen by both names", "x=0; y @ generic aliases x;",
			"P0@cta 0,gpu 0", "st.weak y, 1", `forall (x == 1 /\ y == 1)`, true},
		{"a thread need not see its own store by another address", "x=0; y @ generic aliases x;",
			"P0@cta 0,gpu 0", "st.weak x, 1 ; ld.weak r0, y", "exists (P0:r0 == 0)", true},
		{"unless fence.proxy.alias stands between", "x=0; y @ generic aliases x;",
			"P0@cta 0,gpu 0", "st.weak x, 1 ; fence.proxy.alias ; ld.weak r0, y", "exists (P0:r0 == 0)", false},
		{"an alias that is not used changes nothing", "x=0; y @ generic aliases x;",
			"P0@cta 0,gpu 0", "st.weak x, 1 ; ld.weak r0, x", "exists (P0:r0 == 0)", false},
		{"a surface store is not seen by a generic load", "x=0; s @ surface aliases x;",
			"P0@cta 0,gpu 0", "sust.weak s, 1 ; ld.weak r0, x", "exists (P0:r0 == 0)", true},
		{"unless a surface fence stands between", "x=0; s @ surface aliases x;",
			"P0@cta 0,gpu 0", "sust.weak s, 1 ; fence.proxy.surface ; ld.weak r0, x", "exists (P0:r0 == 0)", false},
		{"a fence of another proxy does not help", "x=0; s @ surface aliases x;",
			"P0@cta 0,gpu 0", "sust.weak s, 1 ; fence.proxy.texture ; ld.weak r0, x", "exists (P0:r0 == 0)", true},
		{"nor does a generic fence", "x=0; s @ surface aliases x;",
			"P0@cta 0,gpu 0", "sust.weak s, 1 ; fence.sc.sys ; ld.weak r0, x", "exists (P0:r0 == 0)", true},
		{"from a surface to a texture both fences are needed", "x=0; s @ surface aliases x; u @ texture aliases x;",
			"P0@cta 0,gpu 0", "sust.weak s, 1 ; fence.proxy.surface ; tld.weak r0, u", "exists (P0:r0 == 0)", true},
		{"first that of the store", "x=0; s @ surface aliases x; u @ texture aliases x;",
			"P0@cta 0,gpu 0", "sust.weak s, 1 ; fence.proxy.texture ; fence.proxy.surface ; tld.weak r0, u", "exists (P0:r0 == 0)", true},
		{"and then that of the load", "x=0; s @ surface aliases x; u @ texture aliases x;",
			"P0@cta 0,gpu 0", "sust.weak s, 1 ; fence.proxy.surface ; fence.proxy.texture ; tld.weak r0, u", "exists (P0:r0 == 0)", false},
		{"constants are read anew after a fence", "x=0;",
			"P0@cta 0,gpu 0", "st.weak x, 1 ; fence.proxy.constant ; cold.weak r0, x", "exists (P0:r0 == 0)", false},
		{"atomics on a surface are atomic", "x=0;",
			"P0@cta 0,gpu 0 | P1@cta 0,gpu 0", "sured.relaxed.gpu.add x, 1 | sured.relaxed.gpu.add x, 1", "exists (x == 1)", false},
		{"atomics by two proxies are not morally strong", "x=0;",
			"P0@cta 0,gpu 0 | P1@cta 0,gpu 0", "sured.relaxed.gpu.add x, 1 | red.relaxed.gpu.add x, 1", "exists (x == 1)", true},
	} {
		src := "PTX t\n{ " + c.init + " }\n " + c.head + " ;\n " + c.code + " ;\n" + c.cond
		assert.Equal(t, c.want, check(t, Options{}, src).Verdict, "%s: %s", c.why, c.code)
	}
}

// TestGenericCausality checks that the rules of proxies say of generic accesses what the
// model said before there were proxies: causality between accesses to one word is the
// same, but for the order of a thread, which SC per location has anyway.
func TestGenericCausality(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	executions := 0
	for range 150 {
		test, err := Parse("random.litmus", randomTest(rng, false))
		require.NoError(t, err)
		c := &checker{test: test, options: Options{Bound: 1}, result: &Result{Test: test}, locs: map[string]int{}, seen: map[string]int{}, places: map[place]int{}}
		c.budget = &budget{context.Background(), DefaultBudget, DefaultBudget}
		for i, l := range test.Locations {
			c.locs[l.Name] = i
		}
		c.observed = []string{"x", "y"}
		require.NoError(t, c.traces(context.Background()))
		c.summarize()
		var combine func(chosen []*trace)
		combine = func(chosen []*trace) {
			if len(chosen) < len(c.all) {
				for _, next := range c.all[len(chosen)] {
					combine(append(chosen[:len(chosen):len(chosen)], next))
				}
				return
			}
			x := c.candidate(chosen)
			f := x.relate()
			require.Nil(t, f.proxies)
			require.NoError(t, x.explore(func(e *execution) error {
				executions++
				_, before := f.causality(f.observe(e.rf), &relation{}, e.sc)
				before.union(&f.poLoc)
				with := *f
				with.proxies, _ = x.proxies()
				_, now := with.causality(with.observe(e.rf), &relation{}, e.sc)
				require.Equal(t, before.and(&f.sameLoc), now.and(&f.sameLoc))
				return nil
			}))
		}
		combine(nil)
	}
	assert.Greater(t, executions, 1000)
}

// TestOneProxy checks a sentence of the ISA: accesses by one proxy within one block need no
// proxy fence. So random tests of one block allow the same whether all accesses to x are
// generic or all are by the surface.
func TestOneProxy(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	surface := strings.NewReplacer("ld.relaxed", "suld.relaxed", "ld.weak", "suld.weak", "st.relaxed", "sust.relaxed", "st.weak", "sust.weak",
		"ld.acquire", "suld.relaxed", "st.release", "sust.relaxed", "atom.acquire", "suatom.relaxed", "atom.release", "suatom.relaxed",
		"atom.acq_rel", "suatom.relaxed", "atom.relaxed", "suatom.relaxed")
	weaker := strings.NewReplacer("ld.acquire", "ld.relaxed", "st.release", "st.relaxed", "atom.acquire", "atom.relaxed",
		"atom.release", "atom.relaxed", "atom.acq_rel", "atom.relaxed")
	for range 150 {
		lines := strings.Split(strings.ReplaceAll(randomTest(rng, false), "@cta 1", "@cta 0"), "\n")
		both := [2]string{}
		for _, line := range lines {
			cells := [2][]string{}
			for _, cell := range strings.Split(line, "|") {
				a, b := cell, cell
				if strings.Contains(cell, " x") && !strings.Contains(cell, "exists") {
					a, b = weaker.Replace(cell), surface.Replace(cell)
				}
				cells[0], cells[1] = append(cells[0], a), append(cells[1], b)
			}
			for k := range both {
				both[k] += strings.Join(cells[k], "|") + "\n"
			}
		}
		generic, other := check(t, Options{}, both[0]), check(t, Options{}, both[1])
		require.Equal(t, generic.Outcomes, other.Outcomes, "%s\n%s", both[0], both[1])
	}
}
