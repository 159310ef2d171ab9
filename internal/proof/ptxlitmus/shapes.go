package ptxlitmus

import (
	"embed"
	"io/fs"
	"path"
)

// shapes has the standard tests of memory models, SHAPE+STRENGTH.litmus: message passing (MP), store buffering (SB),
// load buffering (LB), independent reads of independent writes (IRIW), causality through a third thread (WRC, RWC) or
// through a barrier (MPSync, LBSync), and coherence (CoRR, CoWW, CoWR, CoRW), each with accesses of several strengths.
// Threads are in blocks of their own, or in one block where the name ends in +block. Each asks whether the outcome
// exists that a sequentially consistent machine never shows; the axioms know the answer.
//
//go:embed shapes/*.litmus
var shapes embed.FS

// Shapes returns the tests of the folder shapes, by name.
func Shapes() ([]*Test, error) {
	files, err := fs.Glob(shapes, "shapes/*.litmus")
	if err != nil {
		return nil, err
	}
	var tests []*Test
	for _, file := range files {
		src, err := shapes.ReadFile(file)
		if err != nil {
			return nil, err
		}
		t, err := Parse(path.Base(file), string(src))
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
	}
	return tests, nil
}
