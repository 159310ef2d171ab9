package explore

import (
	"runtime"
	"runtime/metrics"
)

// processors returns how many trials can run at the same time on this machine's processors.
func processors() int { return runtime.GOMAXPROCS(0) }

// peak returns about how many bytes a trial needs: those of the heap that this process has in use or has had.
func peak() (bytes uint64, known bool) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(sample)
	for _, s := range sample {
		if s.Value.Kind() != metrics.KindUint64 {
			return 0, false
		}
		bytes += s.Value.Uint64()
	}
	return bytes, true
}
