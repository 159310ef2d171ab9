package simt

import (
	"fmt"
	"unsafe"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/hugepage"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/memory"
)

// The layout of a global address: the allocation's ID above addrBits, the
// byte offset below, so that an overrun never lands in another buffer.
const (
	addrBits = 40
	offMask  = 1<<addrBits - 1
	// maxID keeps global addresses below ir.LocalWindow.
	maxID = int(ir.LocalWindow>>addrBits) - 1
)

// The physical placement of buffers.
const (
	physAlign = 256     // of every buffer
	physPage  = 2 << 20 // of a large one, and what small ones share
	physLarge = 1 << 20 // bytes from which a buffer has pages of its own
)

// Allocation is one buffer of global memory.
type Allocation struct {
	ID   int
	Name string
	Elem ir.Kind
	Len  int    // elements
	Data []byte // aligned to 16 bytes at least; nil in a virtual memory
	// Phys is where a device would have placed the buffer: what caches and
	// DRAM channels hash. It says nothing about the address in registers.
	Phys uint64
	of   *Allocation // that this one stands for; see Alias
	// unwritten is nil once every byte is written, and where nobody tracks them.
	unwritten *Unwritten
}

// Key returns the same for all that stands for one buffer, as long as that is
// allocated.
func (a *Allocation) Key() int {
	if a.of != nil {
		return a.of.ID
	}
	return a.ID
}

// Bytes returns the size.
func (a *Allocation) Bytes() int { return a.Len * a.Elem.Bytes() }

// Base returns the address of the first byte.
func (a *Allocation) Base() uint64 { return uint64(a.ID) << addrBits }

// Memory is the global memory of one device. It is used from one goroutine.
type Memory struct {
	capacity uint64
	used     uint64
	allocs   []*Allocation // by ID; nil where free; allocs[0] is the nil pointer's
	freed    []freedID     // in the order of Free
	small    uint64        // next physical byte in the page that small buffers share
	smallEnd uint64
	next     uint64 // next unused physical page
	tables   map[*ir.Table]*Allocation
	closed   bool
	virtual  bool // the bytes are elsewhere
	// Track has buffers allocated from now on know which of their bytes nobody has written.
	Track bool
	// Copied counts bytes moved by Write and Read.
	Copied struct{ ToDevice, ToHost uint64 }
}

type freedID struct {
	id   int
	name string
}

// NewMemory makes a memory of capacity bytes; 0 is no limit.
func NewMemory(capacity uint64) *Memory {
	return &Memory{capacity: capacity, allocs: make([]*Allocation, 1, 16), next: physPage}
}

// NewVirtualMemory makes a memory that knows its buffers but does not hold
// their bytes, for a device that keeps them elsewhere.
func NewVirtualMemory(capacity uint64) *Memory {
	m := NewMemory(capacity)
	m.virtual = true
	return m
}

// Alloc reserves n elements of kind elem and poisons them: every byte is
// 0xA5, which as an index is out of range, and floats are NaN.
func (m *Memory) Alloc(name string, elem ir.Kind, n int) (device.Buffer, error) {
	if m.closed {
		return device.Buffer{}, fmt.Errorf("alloc %s: the device is closed", name)
	}
	if elem == ir.Void || elem >= ir.NumKinds {
		return device.Buffer{}, fmt.Errorf("alloc %s: kind %d has no size; use ir.U8 for bytes", name, elem)
	}
	if n < 0 {
		return device.Buffer{}, fmt.Errorf("alloc %s: %d elements", name, n)
	}
	bytes := uint64(n) * uint64(elem.Bytes())
	if uint64(n) > offMask/8 || m.capacity > 0 && bytes > m.capacity-m.used {
		return device.Buffer{}, fmt.Errorf("alloc %s: out of memory: %d elements of %s (%d bytes) where %d of %d bytes are free",
			name, n, elem, bytes, m.capacity-m.used, m.capacity)
	}
	if !m.virtual {
		host := bytes
		if m.Track {
			host += bytes / 8
		}
		if err := memory.Need(host, "a buffer of %d elements of %s on the simulated device", n, elem); err != nil {
			return device.Buffer{}, fmt.Errorf("alloc %s: %w", name, err)
		}
	}
	id, err := m.newID()
	if err != nil {
		return device.Buffer{}, fmt.Errorf("alloc %s: %w", name, err)
	}
	a := &Allocation{ID: id, Name: name, Elem: elem, Len: n, Phys: m.place(bytes)}
	if !m.virtual {
		a.Data = alignedBytes(int(bytes))
		poison(a.Data, elem)
		if m.Track {
			a.unwritten = newUnwritten(len(a.Data))
		}
	}
	m.allocs[id] = a
	m.used += bytes
	return device.Buffer{Name: name, Elem: elem, Addr: a.Base(), Len: n}, nil
}

// table returns where a table of constants lies: it is placed when it is first
// needed, as a module's constants are when it is loaded, and stays.
func (m *Memory) table(l *ir.Leaf) (*Allocation, error) {
	if a := m.tables[l.Table]; a != nil {
		return a, nil
	}
	elem := l.Elem
	if elem == ir.Void || len(l.Table.Data)%elem.Bytes() != 0 {
		elem = ir.U8
	}
	b, err := m.Alloc(l.Name, elem, len(l.Table.Data)/elem.Bytes())
	if err != nil {
		return nil, err
	}
	a, _ := m.Lookup(b.Addr)
	copy(a.Data, l.Table.Data)
	a.unwritten = nil
	if m.tables == nil {
		m.tables = map[*ir.Table]*Allocation{}
	}
	m.tables[l.Table] = a
	return a, nil
}

// newID prefers an ID that was never used, so that a stale address faults.
func (m *Memory) newID() (int, error) {
	if len(m.allocs) <= maxID {
		m.allocs = append(m.allocs, nil)
		return len(m.allocs) - 1, nil
	}
	if len(m.freed) == 0 {
		return 0, fmt.Errorf("more than %d buffers", maxID)
	}
	id := m.freed[0].id
	m.freed = m.freed[1:]
	return id, nil
}

// place puts a buffer as cudaMalloc would: large ones on pages of their own,
// small ones side by side in a shared page. Freed places are not used again.
func (m *Memory) place(bytes uint64) uint64 {
	size := (max(bytes, 1) + physAlign - 1) &^ (physAlign - 1)
	if bytes >= physLarge {
		at := m.next
		m.next += (size + physPage - 1) &^ (physPage - 1)
		return at
	}
	if m.small+size > m.smallEnd {
		m.small, m.smallEnd = m.next, m.next+physPage
		m.next += physPage
	}
	at := m.small
	m.small += size
	return at
}

// Free gives back the buffer; b may not be a part of one.
func (m *Memory) Free(b device.Buffer) error {
	a, off, err := m.Find(b)
	if err != nil {
		return fmt.Errorf("free: %w", err)
	}
	if off != 0 || b.Len != a.Len {
		return fmt.Errorf("free: %s is a part of a buffer; free the whole", b.Name)
	}
	m.allocs[a.ID] = nil
	m.freed = append(m.freed, freedID{a.ID, a.Name})
	m.used -= uint64(a.Bytes())
	return nil
}

// Close frees everything; every later use of the memory is an error.
func (m *Memory) Close() {
	m.allocs, m.freed, m.used, m.closed = m.allocs[:1], nil, 0, true
}

// Closed reports whether Close was called.
func (m *Memory) Closed() bool { return m.closed }

// Used returns the number of bytes allocated now.
func (m *Memory) Used() uint64 { return m.used }

// Find returns the allocation that b is (a part) of, and its byte offset there.
func (m *Memory) Find(b device.Buffer) (*Allocation, int, error) {
	if m.closed {
		return nil, 0, fmt.Errorf("buffer %s: the device is closed", b.Name)
	}
	a, off := m.Lookup(b.Addr)
	if a == nil {
		id := int(b.Addr >> addrBits)
		for _, f := range m.freed {
			if f.id == id {
				return nil, 0, fmt.Errorf("buffer %s was freed", b.Name)
			}
		}
		return nil, 0, fmt.Errorf("buffer %s is not of this device", b.Name)
	}
	if b.Elem != a.Elem {
		return nil, 0, fmt.Errorf("buffer %s has elements of %s, the handle says %s", a.Name, a.Elem, b.Elem)
	}
	if b.Len < 0 || off+b.Bytes() > a.Bytes() {
		return nil, 0, fmt.Errorf("buffer %s has %d elements, the handle reaches to %d", a.Name, a.Len, off/a.Elem.Bytes()+b.Len)
	}
	return a, off, nil
}

// Lookup returns the allocation of a global address and the byte offset there,
// which may be past its end; nil where there is none.
func (m *Memory) Lookup(addr uint64) (*Allocation, int) {
	id := addr >> addrBits
	if id >= uint64(len(m.allocs)) {
		return nil, 0
	}
	return m.allocs[id], int(addr & offMask)
}

// alignedBytes makes n bytes at an address that suits every access.
func alignedBytes(n int) []byte {
	words := hugepage.Make[[2]uint64]((n + 15) / 16)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

// poison fills a new buffer with what is least likely to look like a right value.
func poison(data []byte, elem ir.Kind) {
	if len(data) == 0 {
		return
	}
	unit := []byte{0xA5}
	switch elem {
	case ir.F32:
		unit = []byte{0xA5, 0xA5, 0xE5, 0x7F}
	case ir.F64:
		unit = []byte{0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xFD, 0x7F}
	}
	n := copy(data, unit)
	for n < len(data) {
		n += copy(data[n:], data[:n])
	}
}
