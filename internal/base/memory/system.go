package memory

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// system reads what the kernel reports about memory; root is the root of the
// file system.
type system struct{ root fs.FS }

// available returns the minimum of what the machine and the control groups have
// left.
func (s system) available() (bytes uint64, known bool) {
	bytes = math.MaxUint64
	least := func(b uint64, ok bool) {
		if ok {
			bytes, known = min(bytes, b), true
		}
	}
	info := s.table("proc/meminfo")
	kib, ok := info["MemAvailable:"]
	least(kib<<10, ok)
	for _, group := range s.groups() {
		least(s.left(group, "memory.max", "memory.current", "inactive_file"))
		least(s.left(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
	}
	return bytes, known
}

// groups returns the folders of the control groups that may limit this process:
// its own and those above it. In a container the process's own path may be
// missing; then the root of the hierarchy is the container's group.
func (s system) groups() (dirs []string) {
	text, _ := fs.ReadFile(s.root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		// "0::/path" in version 2, "4:memory:/path" in version 1.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		var mounts []string
		switch {
		case parts[1] == "":
			mounts = []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}
		case strings.Contains(","+parts[1]+",", ",memory,"):
			mounts = []string{"sys/fs/cgroup/memory"}
		}
		for _, mount := range mounts {
			for p := path.Clean("/" + parts[2]); ; p = path.Dir(p) {
				dirs = append(dirs, path.Join(mount, p))
				if p == "/" {
					break
				}
			}
		}
	}
	return dirs
}

// left returns what the limit of a group leaves. Inactive file pages count as
// free, since the kernel reclaims them before it enforces the limit.
func (s system) left(dir, limitFile, usageFile, inactive string) (bytes uint64, ok bool) {
	limit, ok := s.number(path.Join(dir, limitFile))
	if !ok || limit >= 1<<62 { // version 1 reports this for no limit
		return 0, false
	}
	usage, ok := s.number(path.Join(dir, usageFile))
	if !ok {
		return 0, false
	}
	usage -= min(usage, s.table(path.Join(dir, "memory.stat"))[inactive])
	return limit - min(limit, usage), true
}

// number reads a file with a single number; ok is false for "max".
func (s system) number(file string) (n uint64, ok bool) {
	text, err := fs.ReadFile(s.root, file)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// table reads a file with a name and a number in each line.
func (s system) table(file string) map[string]uint64 {
	text, err := fs.ReadFile(s.root, file)
	if err != nil {
		return nil
	}
	t := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 {
			if n, err := strconv.ParseUint(f[1], 10, 64); err == nil {
				t[f[0]] = n
			}
		}
	}
	return t
}
