package waitfor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// The limits of a text, so that it fits on a screen.
const (
	shownWaiters = 6
	shownWriters = 3
	shownCauses  = 5
	shownFrames  = 3
	shownHolders = 3
	screen       = 40 // lines
	columns      = 116
)

// text renders a graph on one screen: who waits, why, and what to change.
func text(graph *device.WaitGraph) string {
	for shown := shownWaiters; ; shown-- {
		if s := textOf(graph, shown); shown == 1 || strings.Count(s, "\n") <= screen {
			return s
		}
	}
}

func textOf(graph *device.WaitGraph, shown int) string {
	var text strings.Builder
	shape := device.Shape{Grid: graph.Grid, Block: graph.Block}
	put := func(indent, line string) {
		for i, part := range wrap(line, columns-len(indent)) {
			if i > 0 {
				part = "  " + part
			}
			text.WriteString(indent + part + "\n")
		}
	}
	put("", "  who waits")
	for i := range graph.Waiters {
		if left := len(graph.Waiters) - i + graph.More; i == shown && left > 1 {
			put("    ", fmt.Sprintf("and %d more groups", left))
			break
		}
		for k, line := range waiterText(&graph.Waiters[i], shape) {
			put(map[bool]string{true: "    ", false: "        "}[k == 0], line)
		}
	}
	if len(graph.Causes) > 0 || graph.Forgotten != "" {
		put("", "  why")
	}
	for i, cause := range graph.Causes {
		if left := len(graph.Causes) - i; i == shownCauses && left > 1 {
			put("    ", fmt.Sprintf("and %d more reasons", left))
			break
		}
		put("    ", string(cause.Kind)+": "+cause.Text)
	}
	if graph.Forgotten != "" {
		put("    ", "who wrote these words before is not known: "+graph.Forgotten)
	}
	if len(graph.Advice) > 0 {
		put("", "  what to change")
	}
	for _, a := range graph.Advice {
		put("    ", a.String())
	}
	return text.String()
}

// wrap breaks a line at spaces; a word that is too long stays whole.
func wrap(line string, width int) (parts []string) {
	for len(line) > width {
		at := strings.LastIndexByte(line[:width], ' ')
		if at <= 0 {
			if at = strings.IndexByte(line, ' '); at <= 0 {
				break
			}
		}
		parts = append(parts, line[:at])
		line, width = line[at+1:], width-2
		if len(parts) > 1 {
			width += 2
		}
	}
	return append(parts, line)
}

// waiterText describes a group: who, where, what for, and the lines that could end the wait.
func waiterText(waiter *device.Waiter, shape device.Shape) (lines []string) {
	what := verb(waiter.Kind) + waiter.What
	if len(waiter.Missing) > 0 {
		what += "; missing: " + holdersText(waiter.Missing, &waiter.Threads, shape)
	}
	lines = append(lines, fmt.Sprintf("[%d] %s", waiter.ID, threadsText(&waiter.Threads, shape)))
	if len(waiter.At) > 0 { // a litmus test has no source in Go
		lines = append(lines, framesText(waiter.At))
	}
	lines = append(lines, what)
	if waiter.Unsettled > 0 {
		lines = append(lines, fmt.Sprintf("its loop was executed for %s steps and did not come back to the same state, so that it may do more than is said here", format.Thousands(waiter.Unsettled)))
	}
	if waiter.Word != nil && waiter.Word.Written != nil && (waiter.Word.Written.Closed || strings.Contains(waiter.Word.Written.Then, "left")) {
		lines = append(lines, writtenText(waiter.Word, shape))
	}
	shown, others := 0, slices.ContainsFunc(waiter.Writers, func(writer device.Writer) bool { return writer.Ends && !onlyBy(&writer, waiter.ID) })
	for i := range waiter.Writers {
		writer := &waiter.Writers[i]
		if !writer.Ends || others && onlyBy(writer, waiter.ID) {
			continue
		}
		if shown++; shown > shownWriters {
			return append(lines, "and by other lines")
		}
		what := writer.Op
		if writer.Value != "" {
			what += " of " + writer.Value
		}
		line := fmt.Sprintf("ended by %s: %s", what, framesText(writer.At))
		if writer.Of != "" {
			lines = append(lines, fmt.Sprintf("%s of %s, %s", line, writer.Of, writer.Why))
			continue
		}
		if writer.Guard != "" {
			line += ", if " + writer.Guard
		}
		holders := slices.DeleteFunc(slices.Clone(writer.Holders), func(h device.Holder) bool { return others && h.Waiter == waiter.ID })
		switch {
		case len(holders) > 0:
			line += ", by " + holdersText(holders, nil, shape)
		case writer.Executed != nil:
			line += ", by " + threadsText(writer.Executed, shape) + ", which executed it before"
		}
		lines = append(lines, line)
	}
	return lines
}

// writtenText says who wrote the value that a word has.
func writtenText(word *device.Word, shape device.Shape) string {
	written := word.Written
	text := fmt.Sprintf("set to %s by %s: %s: %s", written.New, threadsText(&written.Threads, shape), written.Op, framesText(written.At))
	if written.Word != wordName(word) {
		text = written.Word + " was " + text
	}
	if written.Then != "" {
		text += ", " + written.Then
	}
	return text
}

func verb(k device.WaitKind) string {
	switch k {
	case device.WaitMemory:
		return "spins "
	case device.WaitTurn, device.WaitHeld, device.WaitLoop, device.WaitHostTimeout:
		return ""
	}
	return "waits "
}

// onlyBy reports whether only threads of a group itself would execute a line.
func onlyBy(o *device.Writer, id int) bool {
	return o.Of == "" && o.Executed == nil && !slices.ContainsFunc(o.Holders, func(h device.Holder) bool { return h.Waiter != id })
}

// holdersText says who would end a wait and why they do not. It leaves out the blocks of those that
// are in the same blocks as the ones that wait.
func holdersText(list []device.Holder, of *device.Threads, shape device.Shape) string {
	var parts []string
	for i := range list {
		holder := list[i]
		if i == shownHolders {
			parts = append(parts, "and others")
			break
		}
		if of != nil && len(holder.Warps) > 0 && slices.Equal(holder.Blocks, of.Blocks) {
			holder.Blocks = nil
		}
		part := threadsText(&holder.Threads, shape) + ", " + causeName(holder.Cause)
		if holder.Count == 1 {
			part = strings.Replace(part, "which have left", "which has left", 1)
		}
		if holder.Waiter >= 0 {
			part += fmt.Sprintf(" [%d]", holder.Waiter)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// causeName says what threads do that do not end a wait.
func causeName(c device.CauseKind) string {
	switch c {
	case device.CauseReconverge:
		return "held back behind a branch"
	case device.CauseBarrier:
		return "at a barrier"
	case device.CauseWaitsItself:
		return "spinning"
	case device.CauseExited:
		return "which have left"
	case device.CauseRunning:
		return "running"
	case device.CauseHeld:
		return "held back"
	case device.CauseMaskMismatch:
		return "at a collective"
	case device.CauseRegisters:
		return "waiting for registers"
	}
	return string(c)
}

// framesText is a position with the calls from which it was inlined.
func framesText(at []device.Frame) string {
	if len(at) == 0 {
		return "?"
	}
	text := at[0].String()
	if at[0].Func != "" {
		text += " in " + at[0].Func
	}
	for i, f := range at[1:] {
		if i+1 == shownFrames && len(at) > shownFrames+1 {
			return text + ", ..."
		}
		text += fmt.Sprintf(", called at %s:%d in %s", f.File, f.Line, f.Func)
	}
	return text
}

// threadsText names threads: "blocks 0 to 59, warp 0, lane 0 (60 threads)".
func threadsText(t *device.Threads, shape device.Shape) string {
	text := ""
	if len(t.Blocks) > 0 {
		text = spansText("block", t.Blocks, shape.BlockName) + ", "
	}
	if len(t.Warps) > 0 {
		text += spansText("warp", t.Warps, strconv.Itoa)
	}
	text = strings.TrimSuffix(text, ", ")
	if t.Lanes != 0 && uint32(t.Lanes) != simt.Full && len(t.Warps) > 0 {
		text += ", " + laneText(uint32(t.Lanes))
	}
	if t.Count > 1 {
		text += fmt.Sprintf(" (%s threads)", format.Thousands(t.Count))
	}
	return text
}

// spansText names numbered things: "blocks 0 to 59, 61".
func spansText(what string, list []device.Span, name func(int) string) string {
	if len(list) != 1 || list[0].First != list[0].Last {
		what += "s"
	}
	return what + " " + spanList(list, name)
}

func spanList(list []device.Span, name func(int) string) string {
	var parts []string
	for i, span := range list {
		switch {
		case i == 4:
			return strings.Join(parts, ", ") + " ... " + name(list[len(list)-1].Last)
		case span.First == span.Last:
			parts = append(parts, name(span.First))
		case span.First+1 == span.Last:
			parts = append(parts, name(span.First), name(span.Last))
		default:
			parts = append(parts, name(span.First)+" to "+name(span.Last))
		}
	}
	return strings.Join(parts, ", ")
}

// laneText names the lanes of a mask.
func laneText(mask uint32) string {
	var lanes []int
	for i := range simt.Lanes {
		if mask>>i&1 != 0 {
			lanes = append(lanes, i)
		}
	}
	if spans := spansOf(lanes); len(spans) <= 3 {
		return spansText("lane", spans, strconv.Itoa)
	}
	return fmt.Sprintf("lanes %08x", mask)
}

// wordName names words: "arrived[0]", "arrive[1 to 59]".
func wordName(word *device.Word) string {
	if word.Scalar {
		return word.Buffer
	}
	return word.Buffer + "[" + spanList(word.Indices, strconv.Itoa) + "]"
}

// waitsFor says for which value threads wait.
func waitsFor(word *device.Word) string {
	text := "on " + wordName(word)
	if word.Until != "" {
		text = "until " + word.Until
	}
	is := "it is "
	if !word.Scalar && (len(word.Indices) > 1 || len(word.Indices) == 1 && word.Indices[0].First != word.Indices[0].Last) {
		is = "they are "
	}
	if word.Until == "" {
		is = strings.Replace(strings.Replace(is, "it is", "its value is", 1), "they are", "their values are", 1)
	}
	text += "; " + is + listOf(word.Values)
	if len(word.Ends) > 0 {
		text += ", and the loop would end with " + listOf(word.Ends)
	}
	if len(word.Cached) > 0 {
		text += " in memory, and " + listOf(word.Cached) + " in L1"
	}
	switch {
	case word.Remote:
		text += " (shared memory of another block of the cluster)"
	case word.Space == "shared":
		text += " (shared memory)"
	}
	return text
}

// listOf joins texts: "1, 2 and 3".
func listOf(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	if len(list) > maxValues { // distinct keeps one more than is shown
		return strings.Join(list[:maxValues], ", ") + ", ..."
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

func (x *reader) threadsText(t *threads) string {
	p := t.plain()
	return threadsText(&p, x.g.Shape)
}

func blocksText(list []device.Span, g *simt.Grid) string {
	return spansText("block", list, g.Shape.BlockName)
}

// linesText names the lines of a loop.
func linesText(lines *device.Span) string {
	if lines == nil || lines.First == lines.Last {
		return ""
	}
	return fmt.Sprintf(" (lines %d to %d)", lines.First, lines.Last)
}

// changesText names words and their values: "word[0] (0 and 1)".
func changesText(list []device.Change) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Word, listOf(c.Values)))
	}
	return listOf(parts)
}

func changedWords(list []device.Change) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Word)
	}
	return listOf(names)
}
