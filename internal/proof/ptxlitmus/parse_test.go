package ptxlitmus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// published returns the files of the published tests.
func published(t testing.TB) []string {
	files, err := filepath.Glob("testdata/tests/*.litmus")
	require.NoError(t, err)
	require.Len(t, files, 58)
	return files
}

func parseFile(t testing.TB, file string) *Test {
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	test, err := Parse(file, string(src))
	require.NoError(t, err)
	return test
}

// TestPublished reads all published tests.
func TestPublished(t *testing.T) {
	for _, file := range published(t) {
		test := parseFile(t, file)
		assert.Equal(t, strings.TrimSuffix(filepath.Base(file), ".litmus"), test.Name)
		assert.NotEqual(t, NoCondition, test.Quant, file)
		assert.NotEmpty(t, test.Outcome(), file)
		for _, th := range test.Threads {
			assert.NotEmpty(t, th.Code, "%s P%d", file, th.ID)
		}
	}
}

// TestParse compares a test that has each form once with what it means.
func TestParse(t *testing.T) {
	src := `ptx All-forms
"one" "two"
{ x = 0; y=-1; z @ surface aliases x; w = &y; P1:r0=7; 0:r9 = x; P0:r8=0xffffffff;; };
 P1@cta 3, gpu 1 | P0@cta 0,gpu 0 ;
 LC00: | ld r1, 5 ; (* a comment *)
 ld.weak r0, x | st.volatile [x], r1 ; // another
 atom.acq_rel.gpu.cas r1, x, 0, r0 | red.release.sys.xor y, -2 ;
 bne r1, 0, LC01 | fence.sc.cta ;
 goto LC00 | membar.gl ;
 LC01: sub r2, r1, 3 | bar.cta.sync 1, r2, 3 ;
 fence.proxy.alias | bar.cta.arrive 2 ;
 | suld.weak r3, z ;
 | bar.cta.red.popc r4, 0, 1, r3 ;
locations [x; P1:r0;]
filter (P0:r1 == 5);
~exists (1:r0 = 1 /\ ~(x != 2 \/ not y < 0) \/ [y] >= P1:r2)
`
	test, err := Parse("dir/All.litmus", src)
	require.NoError(t, err)
	assert.Equal(t, "All", test.Name)
	assert.Equal(t, "All-forms", test.Title)
	assert.Equal(t, "one two", test.Comment)
	var locs []Location
	for _, l := range test.Locations {
		l.Pos = Pos{}
		locs = append(locs, l)
	}
	assert.Equal(t, []Location{
		{Name: "x"}, {Name: "y", Value: -1}, {Name: "z", Alias: "x", Proxy: Surface}, {Name: "w", Value: -1},
	}, locs)
	for i := range test.Registers {
		test.Registers[i].Pos = Pos{}
	}
	assert.Equal(t, []RegInit{{Thread: 0, Reg: "r0", Value: 7}, {Thread: 1, Reg: "r9", Loc: "x"}, {Thread: 1, Reg: "r8", Value: -1}}, test.Registers)

	reg := func(s string) Operand { return Operand{Reg: s} }
	con := func(n int32) Operand { return Operand{Const: n} }
	one, three, r2 := con(1), con(3), reg("r2")
	want := []Thread{{ID: 1, CTA: 3, GPU: 1, Code: []Instr{
		{Op: Load, Text: "ld.weak r0, x", Scope: System, Dst: "r0", Loc: "x"},
		{Op: Atom, Text: "atom.acq_rel.gpu.cas r1, x, 0, r0", Binary: CAS, Order: AcqRel, Scope: Device, Dst: "r1", Loc: "x", A: con(0), B: reg("r0")},
		{Op: Branch, Text: "bne r1, 0, LC01", Scope: System, Cmp: NE, A: reg("r1"), B: con(0), Target: 4},
		{Op: Goto, Text: "goto LC00", Scope: System, Target: 0},
		{Op: Local, Text: "sub r2, r1, 3", Scope: System, Binary: Sub, Dst: "r2", A: reg("r1"), B: three},
		{Op: FenceProxy, Text: "fence.proxy.alias", Scope: System, Proxy: Alias},
	}}, {ID: 0, Code: []Instr{
		{Op: Local, Text: "ld r1, 5", Scope: System, Dst: "r1", A: con(5)},
		{Op: Store, Text: "st.volatile [x], r1", Scope: System, Order: Relaxed, Volat: true, Loc: "x", A: reg("r1")},
		{Op: Red, Text: "red.release.sys.xor y, -2", Binary: Xor, Order: Release, Scope: System, Loc: "y", A: con(-2)},
		{Op: Fence, Text: "fence.sc.cta", Order: SC, Scope: Block},
		{Op: Fence, Text: "membar.gl", Order: SC, Scope: Device},
		{Op: BarSync, Text: "bar.cta.sync 1, r2, 3", Scope: System, Instance: 1, ID: &r2, Count: &three},
		{Op: BarArrive, Text: "bar.cta.arrive 2", Scope: System, Instance: 2},
		{Op: Load, Text: "suld.weak r3, z", Scope: System, Proxy: Surface, Dst: "r3", Loc: "z"},
		{Op: BarRed, Text: "bar.cta.red.popc r4, 0, 1, r3", Scope: System, Binary: Popc, Dst: "r4", ID: &one, A: reg("r3")},
	}}}
	for i := range test.Threads {
		for k := range test.Threads[i].Code {
			test.Threads[i].Code[k].Pos = Pos{}
		}
	}
	assert.Equal(t, want, test.Threads)
	assert.Equal(t, "P0:r1 == 5", test.Filter.String())
	assert.Equal(t, NotExists, test.Quant)
	assert.Equal(t, `((P1:r0 == 1 /\ ~((x != 2 \/ ~(y < 0)))) \/ y >= P1:r2)`, test.Cond.String())
	var outcome []string
	for _, v := range test.Outcome() {
		outcome = append(outcome, v.String())
	}
	assert.Equal(t, []string{"P1:r0", "x", "y", "P1:r2", "P0:r1"}, outcome)
}

// TestParseErrors has each mistake that the reader reports, with its exact text.
func TestParseErrors(t *testing.T) {
	// body is put into a test of one thread.
	body := func(row string) string { return "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n" + row }
	for _, c := range []struct{ src, want string }{
		{"", `1:1: the file has no init block; write { and } even if it is empty`},
		{"\n AArch64 MP\n{}", `2:2: a PTX litmus test starts with "PTX NAME", this one with "AArch64"`},
		{"PTX t\n{ x=0", `2:6: expected ";" or "}" after a declaration, got the end of the file`},
		{"PTX t\n{ 3; }\nP0@cta 0,gpu 0;", `2:3: expected a location, got "3"`},
		{"PTX t\n{ x; }\nP0@cta 0,gpu 0;", `2:4: expected "=" after the location x, got ";"`},
		{"PTX t\n{ x=0; x=1; }\nP0@cta 0,gpu 0;", `2:8: location x is declared twice, first in line 2`},
		{"PTX t\n{ x=y; }\nP0@cta 0,gpu 0;", `2:5: location y is not declared before`},
		{"PTX t\n{ x=0; y @ shared aliases x; }\nP0@cta 0,gpu 0;", `2:12: expected a proxy (generic, surface, texture, constant), got "shared"`},
		{"PTX t\n{ x=99999999999; }\nP0@cta 0,gpu 0;", `2:5: 99999999999 does not fit into a word of 32 bits`},
		{"PTX t\n{ x=1f; }\nP0@cta 0,gpu 0;", `2:5: "1f" is not a number`},
		{"PTX t\n{ P0:x=1; }\nP0@cta 0,gpu 0;", `2:6: expected a register such as r0, got "x"`},
		{"PTX t\n{ r0=1; }\nP0@cta 0,gpu 0;", `2:3: expected a location, got the register r0`},
		{"PTX t\n{ Q:r0=1; }\nP0@cta 0,gpu 0;", `2:3: expected a thread such as P0 before ":", got "Q"`},
		{"PTX t\n{ P1:r0=1; }\nP0@cta 0,gpu 0;", `2:3: the test has no thread P1; it has P0`},
		{"PTX t\n{ P0:r0=1; P0:r0=2; }\nP0@cta 0,gpu 0;", `2:15: register P0:r0 is declared twice`},
		{"PTX t\n{}\nP0 ;", `3:4: expected "@" before the cta of P0, got ";"`},
		{"PTX t\n{}\nP0@cta 0 ;", `3:10: expected "," before the gpu of P0, got ";"`},
		{"PTX t\n{}\nP0@cta -1,gpu 0;", `3:8: the number of a cta is not negative`},
		{"PTX t\n{}\nP0@cta 0,gpu 0 | P0@cta 0,gpu 0;", `3:18: thread P0 is declared twice`},
		{"PTX t\n{}\nx ;", `3:1: expected a thread such as "P0@cta 0,gpu 0", got "x"`},
		{"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0;\n st.weak x, 1 ;", `4:15: the row has 1 columns, there are 2 threads`},
		{body(" st.weak x, 1 | st.weak x, 2 ;"), `4:15: the row has more columns than there are threads (1)`},
		{body(" frob r0 ;"), `4:2: unknown instruction "frob"`},
		{body(" ld.weak r0 x ;"), `4:13: expected "," before the location, got "x"`},
		{body(" ld.release.gpu r0, x ;"), `4:2: ld cannot be .release; it can be .weak, .relaxed, .acquire`},
		{body(" ld.relaxed r0, x ;"), `4:2: ld.relaxed needs a scope: .cta, .gpu or .sys`},
		{body(" st.weak.gpu x, 1 ;"), `4:2: st.weak.gpu: a weak access has no scope`},
		{body(" st.relaxed.cluster x, 1 ;"), `4:2: st.relaxed.cluster needs a scope: .cta, .gpu or .sys`},
		{body(" st.weak.relaxed.gpu x, 1 ;"), `4:2: st.weak.relaxed.gpu: a weak access has no scope`},
		{body(" st.weak r0, 1 ;"), `4:10: expected a location, got the register r0`},
		{body(" st.weak x, y ;"), `4:13: expected a register or a number, got "y"`},
		{body(" atom.relaxed.gpu r0, x, 1 ;"), `4:2: atom.relaxed.gpu needs an operation: .add, .sub, .mul, .div, .and, .or, .xor, .min, .max, .inc, .dec, .exch, .cas`},
		{body(" atom.relaxed.gpu.cas r0, x, 1 ;"), `4:32: expected "," between the operands, got ";"`},
		{body(" red.relaxed.gpu.exch x, 1 ;"), `4:2: red has no .exch, since nothing would use its result; write atom.exch`},
		{body(" fence.weak.gpu ;"), `4:2: fence cannot be .weak; it can be .acq_rel, .sc`},
		{body(" fence.proxy.async ;"), `4:2: fence.proxy.async needs a proxy: .generic, .surface, .texture, .constant, .alias`},
		{body(" membar ;"), `4:2: membar needs a level: .cta, .gl or .sys`},
		{body(" bar.cta 1 ;"), `4:2: bar.cta needs .sync, .arrive or .red`},
		{body(" bar.cta.sync 1, 2, 3, 4 ;"), `4:26: a barrier has at most a number, an id and a count`},
		{body(" bar.cta.red r0, 1, 2 ;"), `4:2: bar.cta.red needs an operation: .popc, .and, .or`},
		{body(" bar.cta.red.and r0, 1 ;"), `4:24: bar.cta.red.and needs the value that is combined`},
		{body(" goto LC00 ;"), `4:7: thread P0 has no label LC00`},
		{body(" LC00: ;\n LC00: ;"), `5:2: label LC00 is set twice in this thread`},
		{body(" st.weak x, 1 st.weak x, 2 ;"), `4:15: expected "|" or ";" after the instruction, got "st.weak"`},
		{body(" add.u32 r0, r1, 2 ;"), `4:2: add.u32 does not take .u32`},
		{body(" st.weak x, 1 ;\n exists x"), `5:10: expected a comparison (== != < <= > >=) after x, got the end of the file`},
		{body(" st.weak x, 1 ;\n exists (x=1"), `5:13: expected ")" in the condition, got the end of the file`},
		{body(" exists (P3:r0=1)"), `4:10: the test has no thread P3; it has P0`},
		{body(" exists (P0:x=1)"), `4:13: expected a register such as r0 after P0:, got "x"`},
		{body(" exists (x=1) x"), `4:15: expected the end of the file after the condition, got "x"`},
		{body(" ~forall (x=1)"), `4:3: expected exists after "~", got "forall"`},
		{body(" final (x=1)"), `4:2: expected exists, ~exists or forall, got "final"`},
		{body(" exists ([1]=1)"), `4:10: expected a location between [ and ]`},
		{body(" locations [x exists (x=1)"), `4:15: expected "]" after the locations, got "exists"`},
		{body(" (* never closed"), `4:2: the comment that starts here has no end; write "*)"`},
		{body(" st.weak x, $ ;"), `4:13: unexpected character '$'`},
		{body(" exists " + strings.Repeat("(", 300)), `4:209: the condition is nested more than 200 deep`},
	} {
		_, err := Parse("t.litmus", c.src)
		assert.EqualError(t, err, "t.litmus:"+c.want, c.src)
	}
}

// TestAllMistakes has files with several mistakes: all are reported, in the order of their places, and none that follows
// from another one.
func TestAllMistakes(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"declarations", "PTX t\n{ x=; y=0; y=1; P0:q=1; P2:r0=1; z; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;", []string{
			`2:5: expected a number or a location, got ";"`,
			`2:12: location y is declared twice, first in line 2`,
			`2:20: expected a register such as r0, got "q"`,
			`2:25: the test has no thread P2; it has P0`,
			`2:35: expected "=" after the location z, got ";"`,
		}},
		{"cells", "PTX t\n{}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n frob r0 | st.relaxed x, 1 ;\n st.weak x, 1 ;\n ld.weak r0, x | goto LC01 ;\n LC00: | LC00: LC00: ;\n goto LC00 | ld x | bar ;\nexists (P3:r0=1 /\\ P0:r0=1 /\\ P4:r1=2)", []string{
			`4:2: unknown instruction "frob"`,
			`4:12: st.relaxed needs a scope: .cta, .gpu or .sys`,
			`5:15: the row has 1 columns, there are 2 threads`,
			`6:23: thread P1 has no label LC01`,
			`7:16: label LC00 is set twice in this thread`,
			`8:17: expected a register such as r0, got "x"`,
			`8:19: the row has more columns than there are threads (2)`,
			`9:9: the test has no thread P3; it has P0, P1`,
			`9:31: the test has no thread P4; it has P0, P1`,
		}},
		{"characters", "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, $ | st.weak x, ? ;\n (* open", []string{
			`4:13: unexpected character '$'`,
			`4:28: unexpected character '?'`,
			`5:2: the comment that starts here has no end; write "*)"`,
		}},
		{"threads", "PTX t\n{}\n P0@cta 0 | P1@cta 0,gpu -1 ;\n st.weak x, 1 | st.weak x, 2 | st.weak x, 3 ;\n frob ;\nexists (P7:r0=1)", []string{
			`3:11: expected "," before the gpu of P0, got "|"`,
			`3:26: the number of a gpu is not negative`,
			`5:2: unknown instruction "frob"`,
		}},
		{"no end of the declarations", "PTX t\n{ x=0;\n P0@cta 0,gpu 0 ;\n frob ;", []string{
			`3:2: expected "}" before the threads, got "P0"`,
			`4:2: unknown instruction "frob"`,
		}},
		{"parts", "PTX t\n{}\n P0@cta 0,gpu 0 ;\n st.weak x, 1\nlocations [1 2]\nfilter (x=)\nexists (x=1", []string{
			`5:1: expected "|" or ";" after the instruction, got "locations"`,
			`5:14: expected "]" after the locations, got "2"`,
			`6:11: expected a register such as P0:r1, a location or a number, got ")"`,
			`7:12: expected ")" in the condition, got the end of the file`,
		}},
		{"many", "PTX t\n{}\n P0@cta 0,gpu 0 ;\n" + strings.Repeat("frob ;\n", 23), append(slices.Collect(func(yield func(string) bool) {
			for i := range 20 {
				yield(fmt.Sprintf(`%d:1: unknown instruction "frob"`, i+4))
			}
		}), " and 3 more mistakes")},
	} {
		_, err := Parse("t.litmus", c.src)
		assert.EqualError(t, err, "t.litmus:"+strings.Join(c.want, "\nt.litmus:"), c.name)
	}
}

// FuzzParse checks that the reader neither crashes nor accepts a test that breaks the
// promises of its result.
func FuzzParse(f *testing.F) {
	for _, file := range published(f) {
		src, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(src))
	}
	f.Fuzz(func(t *testing.T, src string) {
		test, err := Parse("fuzz.litmus", src)
		if err != nil {
			var at *Error
			require.ErrorAs(t, err, &at)
			assert.Positive(t, at.Pos.Line)
			assert.Positive(t, at.Pos.Col)
			return
		}
		for _, th := range test.Threads {
			for _, in := range th.Code {
				assert.True(t, 0 <= in.Target && in.Target <= len(th.Code))
			}
		}
		for _, v := range test.Outcome() {
			assert.Less(t, v.Thread, len(test.Threads))
		}
		assert.Equal(t, test.Quant != NoCondition, test.Cond != nil)
	})
}
