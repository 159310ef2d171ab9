package explore

import "testing"

// BenchmarkSeeds reports how many seeds it takes until each kernel of testdata/racy fails, on average over 20 first
// seeds; and the same of at most 200 with schedules that are random everywhere, over 3.
func BenchmarkSeeds(b *testing.B) {
	for i, x := range racy {
		b.Run(x.kernel, func(b *testing.B) {
			trial := trialOf(b, &racy[i])
			average := func(repeats uint64, most int, plain bool) float64 {
				sum := 0
				for k := range repeats {
					sum += needed(b, trial, x.fails, 1+1000*k, most, plain)
				}
				return float64(sum) / float64(repeats)
			}
			for b.Loop() {
				b.ReportMetric(average(20, 200, false), "seeds")
				b.ReportMetric(average(3, 200, true), "plain-seeds")
			}
		})
	}
}
