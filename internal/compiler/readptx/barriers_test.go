package readptx_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// TestBarriersInConditions has barriers that a part of the threads goes around. It is misuse if the others come to another barrier
// (PTX ISA, "barrier": with .aligned all threads of a warp must execute the same instruction); threads that exit do not hold a barrier up
// (PTX ISA, "exit"), whether they left early or went around it to the end, which are the same instructions.
func TestBarriersInConditions(t *testing.T) {
	const lanes, warps = "mov.u32 %r8, %tid.x; and.b32 %r7, %r8, 31; setp.lt.u32 %p0, %r7, 16; ", "mov.u32 %r8, %tid.x; setp.lt.u32 %p0, %r8, 32; "
	for _, c := range []struct {
		code   string
		misuse bool
	}{
		{lanes + "@!%p0 bra ON; bar.sync 0; ON: st.global.u32 [gl], 1; bar.sync 0", true},
		{lanes + "@%p0 bar.sync 0; bar.sync 0", true},
		{lanes + "@!%p0 bra NO; bar.sync 0; bra END; NO: bar.sync 0; END: mov.u32 %r1, 0", true},
		{warps + "@!%p0 bra NO; bar.sync 0; bra END; NO: bar.sync 0; END: mov.u32 %r1, 0", true},
		{warps + "@!%p0 bra ON; barrier.sync 0; ON: barrier.sync 0", true},
		{lanes + "@!%p0 bra NO; bar.red.popc.u32 %r1, 0, %p0; bra END; NO: bar.red.popc.u32 %r1, 0, %p0; END: mov.u32 %r2, 0", true},
		// Right by PTX.
		{lanes + "@!%p0 exit; bar.sync 0", false},
		{lanes + "@!%p0 bra END; bar.sync 0; END: mov.u32 %r1, 0", false},
		{warps + "@!%p0 bra END; bar.sync 0; END: mov.u32 %r1, 0", false},
		{warps + "mov.u32 %r1, 0; @%p0 mov.u32 %r1, 3; LOOP: setp.eq.u32 %p1, %r1, 0; @%p1 bra END; bar.sync 0; sub.u32 %r1, %r1, 1; bra LOOP; END: mov.u32 %r1, 0", false},
	} {
		text := program(t, c.code, nil, nil)
		err := launched(t, text, 64)
		if !c.misuse {
			require.NoError(t, err, c.code)
			continue
		}
		var fault *device.Fault
		require.ErrorAs(t, err, &fault, c.code)
		said := misuse.FindStringSubmatch(fault.What)
		require.NotNil(t, said, fault.What)
		other, err := strconv.Atoi(said[1])
		require.NoError(t, err)
		barriers := linesOf(text, "bar")
		require.Contains(t, barriers, other, c.code)
		require.Contains(t, barriers, fault.At[0].Line, c.code)
		require.NotEqual(t, other, fault.At[0].Line, c.code)
	}
}

// misuse is what the fault says, with the line of the barrier at which threads wait; which of the two that is, depends on turns.
var misuse = regexp.MustCompile(`^__syncthreads(?:_count)?\(\), while thread \d+ of the block waits at another one at test\.ptx:(\d+): all threads of a block must come to the same$`)

// linesOf returns the lines of a text that have a word.
func linesOf(text, word string) (list []int) {
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, word) {
			list = append(list, i+1)
		}
	}
	return list
}
