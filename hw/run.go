package hw

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// pieceBytes is the largest part of a copy from or to the host that one call makes, and arenaBytes what the calls of one
// request take of the arena.
var (
	pieceBytes = 64 << 20
	arenaBytes = worker.Arena
)

// piece is a command, or a part of a long copy from or to the host.
type piece struct {
	cmd  int
	host []byte // of the part
	skip int    // bytes before it
	at   int    // in the arena's data
	last bool   // of its command
}

// Run does all commands: the child queues them on streams of the GPUs, with events between them, and waits once. Lists of
// more than 4,096 commands or 512 MB of the host run in parts, one after another.
//
// Copies from and to slices of the host pass through memory that the GPUs copy from and to by themselves. The host fills
// and empties it before and after the commands run, so that does not overlap with them, and is not part of their times.
//
// Timings are those of events. Each GPU has a clock of its own, which is compared with the host's about once a second;
// ClockError says how exactly. A command that seems to begin before one that it waits for has ended begins at that moment.
func (g *Group) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	defer g.calls.Begin().End()
	ctx = g.calls.During(ctx)
	timings := make([]device.Timing, len(cmds))
	if g.child != nil && !g.calls.Closed() && ctx.Err() == nil {
		if l, ok := g.takeReadied(cmds); ok {
			l.timings = timings
			return timings, l.send(ctx, l.words)
		}
	}
	if err := g.check(cmds); err != nil {
		return timings, err
	}
	if g.child == nil || g.calls.Closed() {
		return timings, closed("run")
	}
	if err := ctx.Err(); err != nil {
		return timings, err
	}
	words, err := g.split(cmds)
	if err != nil {
		return timings, err
	}
	if err := g.settleFor(nil); err != nil {
		return timings, err
	}
	for todo := g.pieces; len(todo) > 0; {
		r, data := g.next(todo, words, cmds, timings)
		n := len(r.pieces)
		if n == 0 {
			return timings, fmt.Errorf("a list of %d commands that wait for %d others is too long", len(cmds), words)
		}
		if err := r.do(ctx, words, data); err != nil {
			return timings, err
		}
		todo = todo[n:]
	}
	return timings, nil
}

// check returns an error if a command is wrong, or if a launch has more parameters than a list has room for.
func (g *Group) check(cmds []device.Command) error {
	if err := device.CheckCommands(g, cmds); err != nil {
		return err
	}
	for i := range cmds {
		if l := cmds[i].Launch; l != nil && native(l.Kernel) {
			if c := ir.Compiled(l.Kernel); bytesOf(c) > 8*worker.MaxParams {
				return cmds[i].Failed(i, fmt.Errorf("%d bytes of parameters; in a list, a real GPU takes %d", bytesOf(c), 8*worker.MaxParams))
			}
		}
	}
	return nil
}

// next returns a request for as many pieces as there is room for, with the bytes of their data.
func (g *Group) next(todo []piece, words int, cmds []device.Command, timings []device.Timing) (r request, data int) {
	n := 0
	for n < len(todo) && n < worker.MaxCalls && worker.Room(n+1, words, data+len(todo[n].host)) <= arenaBytes {
		todo[n].at = data
		data += (len(todo[n].host) + 255) &^ 255
		n++
	}
	return request{Group: g, cmds: cmds, pieces: todo[:n], timings: timings}, data
}

// ClockError returns by how much the times of the last Run on different GPUs, or on a GPU and the host, may differ from
// what they should, in seconds; 0 before the first Run.
func (g *Group) ClockError() float64 { return g.clockError }

// split cuts the commands into pieces, and checks their slices of the host; it returns the number of commands that others wait for.
func (g *Group) split(cmds []device.Command) (words int, err error) {
	g.pieces = g.pieces[:0]
	for i := range cmds {
		c := &cmds[i]
		words += len(c.After)
		var host []byte
		switch d := g.gpus[c.GPU]; {
		case c.Write != nil:
			host, err = d.mem.CheckWrite(c.Write.Buffer, c.Write.Host)
		case c.Read != nil:
			host, err = d.mem.CheckRead(c.Read.Buffer, c.Read.Host)
		}
		if err != nil {
			return 0, c.Failed(i, err)
		}
		for skip := 0; ; skip += pieceBytes {
			n := min(len(host)-skip, pieceBytes)
			last := skip+n == len(host)
			g.pieces = append(g.pieces, piece{cmd: i, host: host[skip : skip+n], skip: skip, last: last})
			if last {
				break
			}
		}
	}
	return words, nil
}
