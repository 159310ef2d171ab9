package counter

// Sum combines the counters of several launches: counts are added, means are weighted, of maxima the largest is kept
// (see OverLaunches). The zero Sum is ready to use.
type Sum struct{ total, weights map[string]float64 }

// Add adds the counters of a launch, by name. Counters that cannot be combined are left out.
func (s *Sum) Add(launch map[string]float64) {
	if s.total == nil {
		s.total, s.weights = map[string]float64{}, map[string]float64{}
	}
	for name, v := range launch {
		by, ok := OverLaunches(name)
		if !ok {
			continue
		}
		if c, known := Find(name); known && c.Largest {
			s.total[name] = max(s.total[name], v)
			continue
		}
		w, have := 1.0, true
		if by != "" {
			if w, have = launch[by]; !have {
				continue
			}
			s.weights[name] += w
		}
		s.total[name] += v * w
	}
}

// Of returns the value of a counter over all launches; 0 if no launch had it.
func (s *Sum) Of(name string) float64 {
	v := s.total[name]
	if w := s.weights[name]; w != 0 {
		return v / w
	}
	return v
}

// Values returns all values by name.
func (s *Sum) Values() map[string]float64 {
	all := make(map[string]float64, len(s.total))
	for name := range s.total {
		all[name] = s.Of(name)
	}
	return all
}
