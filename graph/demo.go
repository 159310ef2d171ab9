package graph

import (
	"bytes"
	"context"
	_ "embed" // for the demo graph
)

// DemoName is the name by which Open finds the built-in graph.
const DemoName = "demo"

// DemoNotice states what the demo graph is, its source and its terms of use.
const DemoNotice = "demo graph wiki-Vote: votes on Wikipedia administrators until January 2008 (7,115 users, 103,689 votes), " +
	"from the SNAP collection (snap.stanford.edu/data/wiki-Vote.html), which states no licence and asks to be cited: " +
	"J. Leskovec, D. Huttenlocher, J. Kleinberg, Signed Networks in Social Media, CHI 2010"

// demoFile is the name of the demo graph's file in errors.
const demoFile = "wiki-Vote.txt.gz"

//go:embed testdata/wiki-Vote.txt.gz
var demoData []byte

// Demo returns the built-in graph, SNAP's wiki-Vote (see [DemoNotice]), so that a first run
// needs no file.
func Demo(ctx context.Context, opt LoadOptions) (*CSR, Notes, error) {
	opt.Format = "" // the format of the demo file
	return Read(ctx, demoFile, bytes.NewReader(demoData), int64(len(demoData)), opt)
}
