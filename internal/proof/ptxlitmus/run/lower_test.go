package run

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
)

// published returns the published tests.
func published(t testing.TB) (tests []*ptxlitmus.Test) {
	files, err := filepath.Glob("../testdata/tests/*.litmus")
	require.NoError(t, err)
	more, err := filepath.Glob("../testdata/more/*.litmus")
	require.NoError(t, err)
	files = append(files, more...)
	require.Greater(t, len(files), 100)
	for _, f := range files {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		tests = append(tests, parse(t, f, string(src)))
	}
	return tests
}

// twoGPUs are the published tests that need two GPUs.
var twoGPUs = []string{"CoRR-weak-weak", "CoRR-relaxed-acquire-weak", "CoRR-weak-acquire-weak", "CoWR-R", "Ticketlock-diff-gpu"}

func parse(t testing.TB, file, src string) *ptxlitmus.Test {
	x, err := ptxlitmus.Parse(file, src)
	require.NoError(t, err)
	return x
}

func named(t testing.TB, name string) *ptxlitmus.Test {
	for _, x := range published(t) {
		if x.Name == name {
			return x
		}
	}
	require.Fail(t, "no test "+name)
	return nil
}

// effects returns the accesses, fences, barriers and branches of a program that come from a test, by place in the
// file: "12:2 load weak none".
func effects(k *device.Kernel) (list []string) {
	p := ir.Compiled(k).Program
	for i := range p.Code {
		in := &p.Code[i]
		at := p.Pos[in.Pos]
		if at.Line == 0 || !in.Op.Effect() && in.Op != ir.OpLoad || in.Op == ir.OpShfl {
			continue
		}
		list = append(list, fmt.Sprintf("%d:%d %v %v %v", at.Line, at.Col, in.Op, in.Mem.Order, in.Mem.Scope))
	}
	return list
}

// wanted returns what effects should return for a test, from its instructions alone.
func wanted(x *ptxlitmus.Test) (list []string) {
	scopes := []string{"block", "device", "system"}
	for _, th := range x.Threads {
		for _, in := range th.Code {
			op, order, scope := "", "weak", "none"
			switch in.Op {
			case ptxlitmus.Load:
				op = "load"
			case ptxlitmus.Store:
				op = "store"
			case ptxlitmus.Atom, ptxlitmus.Red:
				op = "atom." + strings.Replace(in.Binary.String(), "sub", "add", 1)
			case ptxlitmus.Fence:
				op = "fence"
			case ptxlitmus.BarSync:
				op = "bar.sync"
			case ptxlitmus.BarArrive:
				op = "bar.arrive"
			case ptxlitmus.Branch:
				op = "bra"
			case ptxlitmus.Goto:
				op = "jmp"
			case ptxlitmus.Local:
				continue
			}
			if op == "fence" || op != "bra" && op != "jmp" && !strings.HasPrefix(op, "bar.") && in.Order != ptxlitmus.Weak {
				order, scope = in.Order.String(), scopes[in.Scope]
			}
			list = append(list, fmt.Sprintf("%d:%d %s %s %s", in.Pos.Line, in.Pos.Col, op, order, scope))
		}
	}
	return list
}

// TestInstructions checks that each access, fence, barrier and branch of a test is one instruction of its kernels,
// with the same order and scope, and that there are no others.
func TestInstructions(t *testing.T) {
	compiled, all := 0, published(t)
	for _, x := range all {
		p, err := compile(x)
		if err != nil {
			continue // TestUnsupported
		}
		compiled++
		require.NotEmpty(t, wanted(x), x.Name)
		assert.Equal(t, wanted(x), effects(p.single), x.Name)
		if p.packed != nil {
			assert.Equal(t, wanted(x), effects(p.packed), x.Name)
		}
	}
	assert.Equal(t, len(all)-len(twoGPUs), compiled)
}

// all has every instruction that kernels can execute.
const all = `PTX all
{ x=0; y=0; P0:r1=2; P0:r9=7; }
 P0@cta 0,gpu 0                   | P1@cta 0,gpu 0         ;
 ld.weak r0, x                    | bar.cta.sync 1, 3      ;
 ld.weak r0, x                    | bar.cta.arrive 2, 1, 2 ;
 ld.relaxed.cta r0, y             |                        ;
 ld.acquire.sys r0, y             |                        ;
 st.weak x, 1                     |                        ;
 st.weak x, 1                     |                        ;
 st.relaxed.gpu x, r1             |                        ;
 st.release.cta y, r0             |                        ;
 atom.relaxed.gpu.add r2, x, 1    |                        ;
 atom.acquire.cta.sub r2, x, r1   |                        ;
 atom.release.sys.exch r2, x, 5   |                        ;
 atom.acq_rel.gpu.cas r2, x, 5, 6 |                        ;
 red.relaxed.gpu.add x, 1         |                        ;
 red.acq_rel.gpu.or x, 8          |                        ;
 fence.sc.gpu                     |                        ;
 fence.acq_rel.cta                |                        ;
 bar.cta.sync 1, r9               |                        ;
 bne r0, 0, L1                    |                        ;
 bar.cta.sync 2, 1, 2             |                        ;
 L1:                              |                        ;
exists (P0:r0 == 1)`

// body returns the PTX of the instructions of a test.
func body(t *testing.T, k *device.Kernel) (lines []string) {
	text, err := hw.PTX(k, hw.PTXOptions{Target: "sm_90"})
	require.NoError(t, err)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, op := range []string{"ld.", "st.", "atom.", "red.", "fence.", "barrier."} {
			at := strings.Index(line, op)
			if (at == 0 || at > 0 && line[0] == '@') && !strings.HasPrefix(line, "ld.param") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// renamed numbers the registers in the order of their first use.
func renamed(lines []string) (list []string) {
	names := map[string]string{}
	for _, line := range lines {
		list = append(list, regexp.MustCompile(`%rd?\d+`).ReplaceAllStringFunc(line, func(r string) string {
			if names[r] == "" {
				names[r] = fmt.Sprintf("%%%d", len(names)+1)
			}
			return names[r]
		}))
	}
	return list
}

// TestPTX checks the PTX of every instruction: repeated plain accesses stay, as do those whose results nobody reads.
func TestPTX(t *testing.T) {
	p, err := compile(parse(t, "all.litmus", all))
	require.NoError(t, err)
	require.Nil(t, p.packed, "a branch leads around a barrier")
	lines := body(t, p.single)
	first := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "ld.relaxed.gpu.global.u32") {
			first = i + 1 // behind the wait for the gang
			break
		}
	}
	require.Equal(t, []string{
		"@%p0 ld.global.u32 %1, [%2];",
		"@%p0 ld.global.u32 %1, [%2];",
		"@%p0 ld.relaxed.cta.global.u32 %1, [%3];",
		"@%p0 ld.acquire.sys.global.u32 %1, [%3];",
		"@%p0 st.global.u32 [%2], 1;",
		"@%p0 st.global.u32 [%2], 1;",
		"@%p0 st.relaxed.gpu.global.u32 [%2], %4;",
		"@%p0 st.release.cta.global.u32 [%3], %1;",
		"@%p0 atom.relaxed.gpu.global.add.u32 %5, [%2], 1;",
		"@%p0 atom.acquire.cta.global.add.u32 %5, [%2], %6;", // the negated r1
		"@%p0 atom.release.sys.global.exch.b32 %5, [%2], 5;",
		"@%p0 atom.acq_rel.gpu.global.cas.b32 %5, [%2], 5, 6;",
		"@%p0 red.relaxed.gpu.global.add.u32 [%2], 1;",
		"@%p0 atom.acq_rel.gpu.global.or.b32 %t0, [%2], 8;", // PTX has no red.acq_rel
		"fence.sc.gpu;",
		"fence.acq_rel.cta;",
		"barrier.sync 5, 64;", // instance 1, ID 7
		"barrier.sync 6, 64;", // instance 2, ID 1
		"barrier.sync 1, 64;", // instance 1, ID 3
		"barrier.arrive 6, 64;",
	}, renamed(lines[first:first+20]))
}

// TestPTXOfReadOnlyPath checks that a GPU that is opened without a word about the read-only path, as that of a record, gets the
// same accesses: nothing may merge or move them.
func TestPTXOfReadOnlyPath(t *testing.T) {
	p, err := compile(parse(t, "all.litmus", all))
	require.NoError(t, err)
	plain, err := hw.PTX(p.single, hw.PTXOptions{Target: "sm_90"})
	require.NoError(t, err)
	other, err := hw.PTX(p.single, hw.PTXOptions{Target: "sm_90", ReadOnlyPath: true})
	require.NoError(t, err)
	require.NotContains(t, other, "@%p0 ld.global.nc", "a location of the test, and not one of the runner's tables")
	require.Equal(t, plain, strings.ReplaceAll(other, "ld.global.nc", "ld.global"))
}
