package graph

import (
	"bytes"
	"context"
	_ "embed" // for the demo graph
)

// DemoName is the name under which Open knows the graph that is part of the program.
const DemoName = "demo"

// DemoNotice says what the demo graph is, where it comes from and how it may be used.
const DemoNotice = "demo graph wiki-Vote: votes on Wikipedia administrators until January 2008 (7,115 users, 103,689 votes), " +
	"from the SNAP collection (snap.stanford.edu/data/wiki-Vote.html), which states no licence and asks to be cited: " +
	"J. Leskovec, D. Huttenlocher, J. Kleinberg, Signed Networks in Social Media, CHI 2010"

// demoFile stands for the demo's file in errors and names.
const demoFile = "wiki-Vote.txt.gz"

//go:embed testdata/wiki-Vote.txt.gz
var demoData []byte

// Demo is the graph that is part of the program, so that the first run needs
// no file: SNAP's wiki-Vote, see DemoNotice.
func Demo(ctx context.Context, opt LoadOptions) (*CSR, Notes, error) {
	opt.Format = "" // the demo's own
	return Read(ctx, demoFile, bytes.NewReader(demoData), int64(len(demoData)), opt)
}
