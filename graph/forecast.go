package graph

import (
	"os"
	"strings"
)

// Forecast returns about how many vertices and arcs the graph has that spec names, without
// making or reading it: within a factor of two for generators, and by the size of the file
// otherwise. It returns 0 if spec names no graph.
func Forecast(spec string) (vertices, arcs uint64) {
	if spec == DemoName {
		return 7115, 103689 // see DemoNotice
	}
	kind, args, _ := strings.Cut(spec, ":")
	if gen := generatorNamed(kind); gen != nil {
		v, err := gen.parse(args)
		if err != nil {
			return 0, 0
		}
		return gen.size(v)
	}
	info, err := os.Stat(spec)
	if err != nil {
		return 0, 0
	}
	bytes := uint64(info.Size())
	if strings.HasSuffix(spec, ".gz") {
		bytes *= 3
	}
	// An arc is a line of two or three numbers.
	const perLine, degree = 12, 8
	return bytes / perLine / degree, bytes / perLine
}

// size returns about how many vertices and arcs the graph of a generator has.
func (g *generator) size(v values) (vertices, arcs uint64) {
	switch g.name {
	case "rmat":
		n := uint64(1) << v.whole["scale"]
		return n, n * v.whole["degree"]
	case "grid":
		n := v.whole["width"] * v.whole["height"]
		return n, uint64(4 * float64(n) * v.real["keep"])
	}
	n := v.whole["n"]
	return n, n * v.whole["degree"]
}
