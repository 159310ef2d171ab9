package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/weft-gpu/weft/device"
)

// region is memory that the program has allocated.
type region struct {
	buffer device.Buffer
	at     uint64 // the address that kernels and the program see
	kind   int
	gpu    int
	shared *sharedMemory // nil if only the device has it
}

func (r *region) end() uint64 { return r.at + uint64(r.buffer.Len) }

// memory are the regions, by address.
type memory struct {
	regions []*region
}

// index returns where the region with an address is, or would be.
func (m *memory) index(addr uint64) (int, bool) {
	return slices.BinarySearchFunc(m.regions, addr, func(r *region, addr uint64) int {
		switch {
		case r.end() <= addr && !(r.buffer.Len == 0 && r.at == addr):
			return -1
		case r.at > addr:
			return 1
		}
		return 0
	})
}

// find returns the region that an address is in; nil if there is none.
func (m *memory) find(addr uint64) *region {
	if i, ok := m.index(addr); ok {
		return m.regions[i]
	}
	return nil
}

func (m *memory) add(r *region) {
	i, _ := m.index(r.at)
	m.regions = slices.Insert(m.regions, i, r)
}

// remove takes out the region that begins at an address; nil if none does.
func (m *memory) remove(addr uint64) *region {
	i, ok := m.index(addr)
	if !ok || m.regions[i].at != addr {
		return nil
	}
	r := m.regions[i]
	m.regions = slices.Delete(m.regions, i, i+1)
	return r
}

// part returns n bytes of memory from an address on, which must be in one region.
func (m *memory) part(addr, n uint64) (device.Buffer, *region, error) {
	r := m.find(addr)
	if r == nil {
		return device.Buffer{}, nil, fmt.Errorf("there is no memory of the device at %#x", addr)
	}
	if n > r.end()-addr {
		return device.Buffer{}, nil, fmt.Errorf("%d bytes at byte %d of %s, which has %d bytes", n, addr-r.at, r.buffer.Name, r.buffer.Len)
	}
	lo := int(addr - r.at)
	return r.buffer.Slice(lo, lo+int(n)), r, nil
}

// sharedMemory is memory that the program and the device see, at the same address.
type sharedMemory struct {
	data []byte
	path string
	file *os.File
}

// newShared makes a file of so many bytes in memory, and maps it.
func newShared(bytes int) (*sharedMemory, error) {
	page := os.Getpagesize()
	size := (max(bytes, 1) + page - 1) / page * page
	dir := "/dev/shm"
	if _, err := os.Stat(dir); err != nil {
		dir = ""
	}
	file, err := os.CreateTemp(dir, "weft-cuda-")
	if err != nil {
		return nil, err
	}
	s := &sharedMemory{path: file.Name(), file: file}
	if err = file.Truncate(int64(size)); err == nil {
		s.data, err = syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// close frees the memory. Nobody uses it when the program is over, so that errors do not matter.
func (s *sharedMemory) close() {
	if s.data != nil {
		_ = syscall.Munmap(s.data)
		s.data = nil
	}
	_ = s.file.Close()
	_ = os.Remove(s.path)
}

// allocationCall finds the variable that an allocation sets: cudaMalloc(&d_row, ...), cudaMalloc((void **)&g.row, ...).
var allocationCall = regexp.MustCompile(`cuda(?:Malloc\w*|HostAlloc)\s*\(\s*(?:\(\s*void\s*\*\*\s*\)\s*)?(?:reinterpret_cast<\s*void\s*\*\*\s*>\s*\(\s*)?&?\s*([A-Za-z_][\w.>\[\]-]*)`)

// nameOf returns what reports call memory that was allocated at a line of the program: the variable, if the source can be
// read, or else the place.
func (s *sources) nameOf(file string, line, number int) string {
	if file == "" {
		return fmt.Sprintf("allocation %d", number)
	}
	// A line may have several calls, which are made one after the other, and again if it is in a loop.
	if calls := allocationCall.FindAllStringSubmatch(s.line(file, line), -1); calls != nil {
		at := place{file, line}
		which := s.named[at] % len(calls)
		if s.named == nil {
			s.named = map[place]int{}
		}
		s.named[at]++
		return calls[which][1]
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// sources are the program's files, as far as they were read.
type sources struct {
	dir   string // of the program's relative names
	files map[string][]string
	named map[place]int // names that were given to allocations at a line
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// line returns a line of a file; "" if it cannot be read.
func (s *sources) line(file string, line int) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.dir, file)
	}
	lines, ok := s.files[file]
	if !ok {
		text, err := os.ReadFile(file)
		if err == nil {
			lines = strings.Split(string(text), "\n")
		}
		if s.files == nil {
			s.files = map[string][]string{}
		}
		s.files[file] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}
