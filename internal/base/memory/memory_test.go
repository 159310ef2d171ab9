package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSystem(t *testing.T) {
	const gib = 1 << 30
	files := func(pairs ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
		}
		return m
	}
	const meminfo = "MemTotal:       33554432 kB\nMemFree:         1048576 kB\nMemAvailable:   16777216 kB\n" // 16 GiB
	for _, test := range []struct {
		name  string
		files fstest.MapFS
		want  uint64
		known bool
	}{
		{"nothing is said", files(), math.MaxUint64, false},
		{"machine", files("proc/meminfo", meminfo), 16 * gib, true},
		{"old kernel", files("proc/meminfo", "MemTotal: 1 kB\n"), math.MaxUint64, false},
		{"version 2", files("proc/meminfo", meminfo, "proc/self/cgroup", "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max", "4294967296\n", "sys/fs/cgroup/a/b/memory.current", "2147483648\n",
			"sys/fs/cgroup/a/b/memory.stat", "anon 5\ninactive_file 1073741824\n"), 3 * gib, true},
		{"version 2, a group above", files("proc/meminfo", meminfo, "proc/self/cgroup", "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max", "max\n", "sys/fs/cgroup/a/b/memory.current", "2147483648\n",
			"sys/fs/cgroup/a/memory.max", "4294967296\n", "sys/fs/cgroup/a/memory.current", "4294967296\n"), 0, true},
		{"version 2 in a container", files("proc/meminfo", meminfo, "proc/self/cgroup", "0::/system/x.scope\n",
			"sys/fs/cgroup/memory.max", "1073741824\n", "sys/fs/cgroup/memory.current", "0\n"), gib, true},
		{"version 1", files("proc/meminfo", meminfo, "proc/self/cgroup", "4:cpu:/c\n5:hugetlb,memory:/m\n0::/\n",
			"sys/fs/cgroup/memory/m/memory.limit_in_bytes", "2147483648\n", "sys/fs/cgroup/memory/m/memory.usage_in_bytes", "1610612736\n",
			"sys/fs/cgroup/memory/m/memory.stat", "inactive_file 7\ntotal_inactive_file 536870912\n"), gib, true},
		{"version 1 without a limit", files("proc/meminfo", meminfo, "proc/self/cgroup", "5:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes", "1610612736\n"), 16 * gib, true},
		{"over the limit", files("proc/self/cgroup", "0::/\n",
			"sys/fs/cgroup/memory.max", "1\n", "sys/fs/cgroup/memory.current", "1610612736\n"), 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, known := system{test.files}.available()
			assert.Equal(t, test.known, known)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestNeed(t *testing.T) {
	require.NoError(t, Need(1, "a byte"))
	before := debug.SetMemoryLimit(256 << 20)
	defer debug.SetMemoryLimit(before)
	available, known := Available()
	require.True(t, known)
	require.Less(t, available, uint64(256<<20))
	require.NoError(t, Need(40<<20, "little"))
	err := Need(1<<40, "the graph %q", "x")
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Regexp(t, `^the graph "x" needs 1\.0 TiB of memory, and \d+\.\d MiB are available$`, err.Error())
	assert.Regexp(t, `^it needs more than 16 EiB of memory, and `, Need(math.MaxUint64, "it").Error())
}

// Memory that Go's runtime holds free counts as available: freed memory must
// not count as used.
func TestGoMemory(t *testing.T) {
	big := make([]byte, 64<<20)
	_, with := goMemory()
	runtime.KeepAlive(big)
	big = nil
	runtime.GC()
	runtime.GC()
	free, without := goMemory()
	assert.GreaterOrEqual(t, with-without, uint64(60<<20))
	assert.GreaterOrEqual(t, free+without, without)
}

// TestGarbage asks for what fits only once the garbage is collected.
func TestGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	_, used := goMemory()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(used) + 512<<20))
	big := make([]byte, 256<<20)
	require.Error(t, Need(384<<20, "what does not fit beside %d bytes", len(big)))
	runtime.KeepAlive(big)
	big = nil
	available, _ := Available()
	require.Less(t, available, uint64(384<<20))
	require.NoError(t, Need(384<<20, "what fits then"))
}

func TestArithmetic(t *testing.T) {
	assert.EqualValues(t, 24, Bytes[uint64](3))
	assert.EqualValues(t, uint64(math.MaxUint64), Bytes[uint64](1<<61))
	assert.Zero(t, Bytes[struct{}](1<<61))
	assert.EqualValues(t, 6, Sum(1, 2, 3))
	assert.EqualValues(t, uint64(math.MaxUint64), Sum(1<<63, 1<<63, 7))
}
