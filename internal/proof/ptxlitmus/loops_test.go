package ptxlitmus

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// check decides a test that is given as text.
func check(t *testing.T, o Options, src string) *Result {
	test, err := Parse("t.litmus", src)
	require.NoError(t, err)
	r, err := Check(context.Background(), test, o)
	require.NoError(t, err)
	return r
}

// TestLoops checks that loops that only wait are exact, and others are bounded and say so.
func TestLoops(t *testing.T) {
	lock := `PTX t
{ l=0; x=0; }
 P0@cta 0,gpu 0                     | P1@cta 1,gpu 0                     ;
 LC00:                              | LC00:                              ;
 atom.acquire.gpu.cas r0, l, 0, 1   | atom.acquire.gpu.cas r0, l, 0, 1   ;
 bne r0, 0, LC00                    | bne r0, 0, LC00                    ;
 ld.weak r1, x                      | ld.weak r1, x                      ;
 add r1, r1, 1                      | add r1, r1, 1                      ;
 st.weak x, r1                      | st.weak x, r1                      ;
 atom.release.gpu.exch r2, l, 0     | atom.release.gpu.exch r2, l, 0     ;
forall (x == 2)`
	r := check(t, Options{}, lock)
	assert.True(t, r.Verdict)
	assert.False(t, r.Bounded, "a failed compare-and-swap changes nothing")
	assert.Nil(t, r.Witness)

	// A wait whose last value is used later.
	r = check(t, Options{Bound: 1}, `PTX t
{ x=0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1 | LC00:                ;
 st.relaxed.gpu x, 2 | ld.relaxed.gpu r0, x ;
                     | beq r0, 0, LC00      ;
                     | mov r1, r0           ;
exists (P1:r1 == 2)`)
	assert.True(t, r.Verdict)
	assert.Len(t, r.Outcomes, 2)
	assert.False(t, r.Bounded)

	counting := `PTX t
{ x=0; }
 P0@cta 0,gpu 0  ;
 LC00:           ;
 add r0, r0, 1   ;
 st.weak x, r0   ;
 blt r0, 3, LC00 ;
exists (x == 3)`
	r = check(t, Options{Bound: 2}, counting)
	assert.True(t, r.Verdict)
	assert.False(t, r.Bounded)
	r = check(t, Options{Bound: 1}, counting)
	assert.False(t, r.Verdict)
	assert.True(t, r.Bounded)

	// A thread that waits for its own write, and one that adds until there is enough.
	r = check(t, Options{}, "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n LC00: ld.weak r0, x ;\n beq r0, 0, LC00 ;\nexists (x == 1)")
	assert.True(t, r.Verdict)
	assert.Equal(t, 1, r.Executions)
	r = check(t, Options{}, "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n LC00: atom.relaxed.gpu.add r0, x, 1 ;\n blt r0, 2, LC00 ;\nexists (x == 3)")
	assert.True(t, r.Verdict)
	assert.Equal(t, 1, r.Executions)

	// For ever: there is no execution that ends.
	r = check(t, Options{}, "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n LC00: goto LC00 ;\nforall (x == 1)")
	assert.True(t, r.Verdict)
	assert.False(t, r.Bounded)
	assert.Zero(t, r.Executions)
}

// TestBarriers checks what barriers order, and which never let their threads pass.
func TestBarriers(t *testing.T) {
	// P0 writes x before its barrier, P1 reads it after its own.
	test := func(threads, bar0, bar1 string) string {
		return "PTX t\n{ x=0; P0:r7=1; P1:r7=1; P1:r8=2; }\n " + threads + " ;\n st.weak x, 1 | " + bar1 + " ;\n " + bar0 + " | ld.weak r0, x ;\nexists (P1:r0 == 0)"
	}
	const one, two = "P0@cta 0,gpu 0 | P1@cta 0,gpu 0", "P0@cta 0,gpu 0 | P1@cta 1,gpu 0"
	for _, c := range []struct {
		threads, bar0, bar1 string
		seen                bool
		executions          int
	}{
		{one, "bar.cta.sync 0", "bar.cta.sync 0", false, 1},
		{one, "barrier.cta.sync 0", "bar.sync 0", false, 1},
		{one, "bar.cta.arrive 0", "bar.cta.sync 0", false, 1},
		{one, "bar.cta.sync 0", "bar.cta.arrive 0", true, 2},
		{one, "bar.cta.sync 0", "bar.cta.sync 1", true, 2},
		{two, "bar.cta.sync 0", "bar.cta.sync 0", true, 2},
		{one, "bar.cta.sync 0, 1", "bar.cta.sync 0, r7", false, 1},
		{one, "bar.cta.sync 0, r7", "bar.cta.sync 0, r8", true, 2},
		{one, "bar.cta.sync 0, 1, 2", "bar.cta.sync 0, 1, r8", false, 1},
		{one, "bar.cta.sync 0, 1, 1", "bar.cta.sync 0, 1, 1", true, 3},
		{one, "bar.cta.sync 0, 1, 3", "bar.cta.sync 0, 1, 3", false, 0},
		{"P0@cta 0,gpu 0 | P1@cta 0,gpu 1", "bar.cta.sync 0", "bar.cta.sync 0", true, 2},
	} {
		r := check(t, Options{}, test(c.threads, c.bar0, c.bar1))
		assert.Equal(t, c.seen, r.Verdict, "%s | %s", c.bar0, c.bar1)
		assert.Equal(t, c.executions, r.Executions, "%s | %s", c.bar0, c.bar1)
		assert.Equal(t, c.executions == 0, r.Stuck > 0)
	}

	// The k-th arrivals meet: what P0 writes between its two is not known at the first.
	r := check(t, Options{}, `PTX t
{ x=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
 bar.cta.sync 0 | bar.cta.sync 0 ;
 st.weak x, 1   | ld.weak r0, x  ;
 bar.cta.sync 0 | bar.cta.sync 0 ;
                | ld.weak r1, x  ;
forall (P1:r1 == 1 /\ P1:r0 <= 1)`)
	assert.True(t, r.Verdict)
	assert.Len(t, r.Outcomes, 2)

	// A thread that branches past the barrier leaves the other there.
	r = check(t, Options{}, `PTX t
{ x=0; }
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0       ;
 st.relaxed.cta x, 1 | ld.relaxed.cta r0, x ;
 bar.cta.sync 0      | beq r0, 1, LC00      ;
                     | bar.cta.sync 0       ;
                     | LC00:                ;
forall (P1:r0 == 0)`)
	assert.True(t, r.Verdict)
	assert.Positive(t, r.Stuck)
}

// TestStrength checks which pairs of operations see each other, on message passing:
// the flag is written and read in the given ways.
func TestStrength(t *testing.T) {
	const same, blocks, gpus = "P0@cta 0,gpu 0 | P1@cta 0,gpu 0", "P0@cta 0,gpu 0 | P1@cta 1,gpu 0", "P0@cta 0,gpu 0 | P1@cta 0,gpu 1"
	for _, c := range []struct {
		threads, write, read string
		ordered              bool
	}{
		{same, "st.release.cta f, 1", "ld.acquire.cta r0, f", true},
		{blocks, "st.release.cta f, 1", "ld.acquire.cta r0, f", false},
		{blocks, "st.release.gpu f, 1", "ld.acquire.cta r0, f", false},
		{blocks, "st.release.gpu f, 1", "ld.acquire.sys r0, f", true},
		{gpus, "st.release.gpu f, 1", "ld.acquire.gpu r0, f", false},
		{gpus, "st.release.sys f, 1", "ld.acquire.sys r0, f", true},
		{blocks, "st.relaxed.gpu f, 1", "ld.acquire.gpu r0, f", false},
		{blocks, "st.volatile f, 1", "ld.volatile r0, f", false},
		{blocks, "atom.release.gpu.add r9, f, 1", "atom.acquire.gpu.add r0, f, 0", true},
		{blocks, "atom.relaxed.gpu.add r9, f, 1", "atom.acquire.gpu.add r0, f, 0", false},
		{blocks, "red.release.gpu.add f, 1", "ld.acquire.gpu r0, f", true},
	} {
		src := "PTX t\n{ x=0; f=0; }\n " + c.threads + " ;\n st.weak x, 1 | " + c.read + " ;\n " + c.write + " | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)"
		assert.Equal(t, !c.ordered, check(t, Options{}, src).Verdict, src)
	}
	// Fences turn relaxed accesses into patterns; fence.sc does what fence.acq_rel does.
	for _, c := range []struct {
		first, second string
		ordered       bool
	}{
		{"fence.acq_rel.gpu", "fence.acq_rel.gpu", true},
		{"fence.sc.gpu", "fence.acq_rel.gpu", true},
		{"membar.gl", "fence.acq_rel.sys", true},
		{"fence.acq_rel.cta", "fence.acq_rel.gpu", false},
	} {
		src := "PTX t\n{ x=0; f=0; }\n " + blocks + " ;\n st.weak x, 1 | ld.relaxed.gpu r0, f ;\n " + c.first + " | " + c.second + " ;\n st.relaxed.gpu f, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)"
		assert.Equal(t, !c.ordered, check(t, Options{}, src).Verdict, src)
	}
}

// TestLimits checks the limits and that a check ends with its context.
func TestLimits(t *testing.T) {
	test := parseFile(t, "testdata/forms/many.litmus")
	_, err := Check(context.Background(), test, Options{Budget: 1000})
	assert.EqualError(t, err, "more than 1000 executions have to be looked at")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Check(ctx, test, Options{})
	assert.ErrorIs(t, err, context.Canceled)

	rows := ""
	for range 70 {
		rows += " st.weak x, 1 ;\n"
	}
	long, err := Parse("t.litmus", "PTX t\n{}\n P0@cta 0,gpu 0 ;\n"+rows+"exists (x == 1)")
	require.NoError(t, err)
	_, err = Check(context.Background(), long, Options{})
	assert.EqualError(t, err, "an execution has more than 64 events")

	r, err := Check(context.Background(), parseFile(t, "testdata/forms/three-tickets.litmus"), Options{})
	require.NoError(t, err)
	assert.Equal(t, []Outcome{{Values: []int32{3}, Executions: 6, Satisfies: true}}, r.Outcomes)
}

// TestBinary checks operations where words wrap or PTX has rules of its own.
func TestBinary(t *testing.T) {
	const least, most = -1 << 31, 1<<31 - 1
	for _, c := range []struct {
		op         Binary
		a, b, want int32
	}{
		{Add, most, 1, least}, {Sub, least, 1, most}, {Mul, 1 << 30, 4, 0},
		{Div, 7, -2, -3}, {Div, 7, 0, -1}, {Div, least, -1, least}, {Rem, 7, 0, 7}, {Rem, least, -1, 0}, {Rem, -7, 2, -1},
		{And, 6, 3, 2}, {Or, 6, 3, 7}, {Xor, 6, 3, 5}, {Shl, 1, 31, least}, {Shl, 1, 32, 0}, {Shr, -8, 1, -4}, {Shr, -8, 40, -1},
		{Min, -1, 1, -1}, {Max, -1, 1, 1}, {Exch, 1, 2, 2}, {Move, 1, 2, 1},
		{Inc, 2, 3, 3}, {Inc, 3, 3, 0}, {Inc, -1, 3, 0}, {Dec, 0, 3, 3}, {Dec, 2, 3, 1}, {Dec, 5, 3, 3},
	} {
		assert.Equal(t, c.want, c.op.Of(c.a, c.b), "%s %d %d", c.op, c.a, c.b)
	}
}
