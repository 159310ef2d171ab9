package main

import (
	"strings"
	"testing"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/hw"
)

func TestSaxpy(t *testing.T) {
	x, y := []float32{1, 2, 3}, []float32{4, 5, 6}
	if err := gpu.Launch(1, 32, func(th gpu.Thread) { Saxpy(th, 10, x, y) }); err != nil {
		t.Fatal(err)
	}
	if y[2] != 36 {
		t.Errorf("y[2] is %v", y[2])
	}
}

func TestRun(t *testing.T) {
	for _, name := range []string{"func", "sim:tiny", "hw"} {
		var out strings.Builder
		err := run(t.Context(), &out, name)
		if hw.IsMissing(err) {
			t.Logf("%s: %v", name, err)
			continue
		}
		if err != nil || !strings.HasPrefix(out.String(), "10000 elements are right on "+name) || !strings.Contains(out.String(), "smsp__inst_executed.sum") {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}
