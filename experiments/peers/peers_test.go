package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		child(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

func TestBothRun(t *testing.T) {
	var out strings.Builder
	err := run(context.Background(), []string{"-repeat", "1", "-machine", "tiny", "-graph", "smallworld:n=300,degree=4,rewire=0.1,seed=1"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"300 vertices", "\nweft ", "\nmgpusim 4.2.0 ", "\nratio "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, args := range [][]string{{"-repeat", "0"}, {"-graph", "nowhere.mtx"}, {"-machine", "h300"}, {"-scheduler", "none"}} {
		if err := run(context.Background(), args, &strings.Builder{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
