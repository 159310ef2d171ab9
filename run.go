package weft

import (
	"context"

	"github.com/weft-gpu/weft/internal/service/catalog"
)

// Request is a run of a graph algorithm: Algorithm ("bfs", or "./dir.Type" for a
// type in a directory), Scheduler ("warp", or "auto"), Graph (package graph reads and
// generates them), Source (a vertex), Params (of both, by name), and Verify, which
// compares the answer with a CPU reference. "weft list" has the names and
// parameters; Extend adds to them.
type Request = catalog.Request

// Result is what a run gave: Values (a slice with the answer for each vertex),
// Verified, Mismatch (how the answer differs from the reference's; nil if it does
// not), Steps (the launches, with their times) and Report.
type Result = catalog.Result

// Run runs a graph algorithm on a device. A wrong answer is no error: see
// Result.Mismatch. If an error or ctx ends the run early, the result has what is
// known of it; it is nil if nothing was run.
func Run(ctx context.Context, dev *Device, r Request) (*Result, error) {
	return catalog.Run(ctx, dev.Device, r)
}

// Extensions are schemes and algorithms of your own: functions that return a
// scheduler.Scheme, and functions that return a scheduler.Host.
type Extensions = catalog.Extensions

// Extend makes schemes and algorithms available to Run and to the command line, by
// their names. It is an error if one is not valid, or if there is another
// algorithm or scheme of its name.
func Extend(x Extensions) error { return catalog.Extend(x) }
