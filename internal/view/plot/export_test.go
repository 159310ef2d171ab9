package plot

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
)

// XY is a point of a picture.
type XY struct{ X, Y float64 }

// Points returns the points of a picture by series, and their unit.
func Points(ctx context.Context, st *store.Store, section spec.Section) (map[string][]XY, string, error) {
	list, err := Parse([]spec.Section{section})
	if err != nil {
		return nil, "", err
	}
	d, err := list[0].load(ctx, st, list[0].X, list[0].Y)
	if err != nil {
		return nil, "", err
	}
	points := map[string][]XY{}
	for at, c := range d.cells {
		points[at.series] = append(points[at.series], XY{d.x.at(at.x), c.center})
	}
	for _, list := range points {
		slices.SortFunc(list, func(a, b XY) int { return int(a.X - b.X) })
	}
	return points, d.unit, nil
}
