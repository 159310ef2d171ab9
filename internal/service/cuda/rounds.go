package cuda

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// A loop of the host that launches kernels until what it reads back says that they are done hangs without any kernel that
// does: a livelock of the program. rounds finds that its rounds change nothing any more, and says so. Whether the loop counts its
// rounds, and ends in spite of that, nobody can see from here, so that the program goes on unless a budget was given.

// The rounds after which memory is looked at, how many are then compared, and the memory that is kept for that.
const (
	roundsAlike  = 500
	longestCycle = 4
	roundsKept   = 2*longestCycle + 1
	roundsBytes  = 64 << 20
	linesShown   = 8
)

// rounds watches the launches between two reads of the host.
type rounds struct {
	launched []launched // since the last read
	before   string     // the round before, as text
	alike    int        // rounds in a row of the same launches and reads
	kept     []picture  // memory after the last rounds, from the round on that is looked at
	told     bool
}

// launched is a launch of a round.
type launched struct {
	text string
	code *ir.Program
}

// picture is the memory of the device at one time.
type picture []pictureOf

type pictureOf struct {
	of   *region
	data []byte
}

// circlesError ends a program of which nobody knows whether it would have ended.
type circlesError struct{ text string }

func (e *circlesError) Error() string { return e.text }

// circles looks at the rounds of the program after a read. The error is that of a program which goes round in circles, if it has a
// budget; else the user is told.
func (s *session) circles(b device.Buffer) error {
	text := s.rounds.read(&s.memory, s.gpus, b)
	switch {
	case text == "":
	case s.spec.Options.Budget > 0:
		return &circlesError{text}
	default:
		s.program.warn(text + "\n  it goes on; Ctrl-C ends it, and so does --budget at this point")
	}
	return nil
}

// launch notes a launch.
func (r *rounds) launch(kernel string, l *device.Launch) {
	r.launched = append(r.launched, launched{
		fmt.Sprintf("%s (%d blocks of %d threads)", kernel, l.Grid*max(l.GridY, 1)*max(l.GridZ, 1), l.Block*max(l.BlockY, 1)*max(l.BlockZ, 1)),
		ir.Compiled(l.Kernel).Program,
	})
}

// read notes that the host has read memory of the device. It returns what there is to say about the rounds, once.
func (r *rounds) read(m *memory, gpus []device.Device, b device.Buffer) string {
	if len(r.launched) == 0 || r.told {
		return "" // a second read after the same launches
	}
	round := r.launched
	var text strings.Builder
	for _, l := range round {
		text.WriteString(l.text + "; ")
	}
	fmt.Fprintf(&text, "%d bytes", b.Len)
	r.launched = nil
	if text.String() != r.before {
		r.before, r.alike, r.kept = text.String(), 0, nil
		return ""
	}
	if r.alike++; r.alike%roundsAlike >= roundsKept || r.alike < roundsAlike {
		r.kept = nil
		return ""
	}
	p, ok := pictured(m, gpus)
	if !ok {
		r.told = true // too much memory to keep
		return ""
	}
	if r.kept = append(r.kept, p); len(r.kept) < roundsKept {
		return ""
	}
	for cycle := 1; cycle <= longestCycle; cycle++ {
		if rising, same := recurs(r.kept, cycle); same {
			r.told = true
			return r.report(round, cycle, rising, b)
		}
	}
	return ""
}

// pictured copies the memory that the program has; false if that is too much or cannot be read.
func pictured(m *memory, gpus []device.Device) (p picture, ok bool) {
	total := 0
	for _, r := range m.regions {
		if total += r.buffer.Len; total > roundsBytes {
			return nil, false
		}
		data := make([]byte, r.buffer.Len)
		if err := gpus[r.gpu].Read(r.buffer, data); err != nil {
			return nil, false
		}
		p = append(p, pictureOf{r, data})
	}
	return p, true
}

// recurs reports whether memory is the same after every so many rounds, but for words that rise by the same amount each time. It
// returns the names of the buffers that have such words.
func recurs(kept []picture, cycle int) (rising []string, same bool) {
	for i := cycle; i < len(kept); i++ {
		now, then := kept[i], kept[i-cycle]
		if !slices.EqualFunc(now, then, func(a, b pictureOf) bool { return a.of == b.of }) {
			return nil, false
		}
		for k := range now {
			a, b := now[k].data, then[k].data
			if bytes.Equal(a, b) {
				continue
			}
			first, last := kept[0][k].data, kept[cycle][k].data
			for at := 0; at < len(a); at += 4 {
				if at+4 > len(a) {
					if !bytes.Equal(a[at:], b[at:]) {
						return nil, false
					}
					break
				}
				step := word(a, at) - word(b, at)
				if step != word(last, at)-word(first, at) || int32(step) < 0 {
					return nil, false
				}
			}
			if name := now[k].of.buffer.Name; !slices.Contains(rising, name) {
				rising = append(rising, name)
			}
		}
	}
	return rising, true
}

func word(data []byte, at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }

// report says that rounds change nothing.
func (r *rounds) report(round []launched, cycle int, rising []string, b device.Buffer) string {
	var s strings.Builder
	fmt.Fprintf(&s, "the program goes round in circles: its last %d rounds launched the same kernels, and memory of the device is after each round as it was ", r.alike)
	if cycle == 1 {
		s.WriteString("after the one before")
	} else {
		fmt.Fprintf(&s, "%d rounds before", cycle)
	}
	if len(rising) > 0 {
		fmt.Fprintf(&s, ", but for words of %s that count up", strings.Join(rising, ", "))
	}
	fmt.Fprintf(&s, "\n  after each round the program reads %d bytes of %s; if it waits for them to change, it never ends\n  each round", b.Len, b.Name)
	for _, l := range round {
		fmt.Fprintf(&s, "\n    launches %s", l.text)
		lines := writes(l.code)
		for i, at := range lines {
			if i == linesShown {
				fmt.Fprintf(&s, "\n      and at %d more lines", len(lines)-i)
				break
			}
			fmt.Fprintf(&s, "\n      which writes at %s", at)
		}
	}
	return s.String()
}

// writes returns the places of the source at which a kernel may write memory of the device.
func writes(p *ir.Program) (lines []string) {
	for i := range p.Code {
		in := &p.Code[i]
		if !in.Op.IsAtomic() && in.Op.Action() != ir.ActStore && in.Op.Action() != ir.ActBulk || in.Mem.Space == ir.Shared || in.Mem.Space == ir.Local {
			continue
		}
		text := ""
		for at := in.Pos; at > 0; at = p.Pos[at].Parent {
			where := &p.Pos[at]
			if text != "" {
				text += ", inlined from "
			}
			text += fmt.Sprintf("%s:%d:%d", where.File, where.Line, where.Col)
		}
		if text != "" && !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	slices.Sort(lines)
	return lines
}
