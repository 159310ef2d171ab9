package simt

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/closing"
)

// The layout of a global address: the allocation's ID in the bits from addrBits
// up, and the byte offset below, so that an overrun never reaches another
// buffer.
const (
	addrBits = 40
	offMask  = 1<<addrBits - 1
	// maxID keeps global addresses below ir.LocalWindow.
	maxID = int(ir.LocalWindow>>addrBits) - 1
	// Memory that the host has at the same address gets one of the first IDs, up to hostID: at the addresses of others a
	// process of Linux has its program and its libraries, or can have nothing. After Reserve, other buffers begin at firstID.
	hostID  = 84
	firstID = 128
)

// The physical placement of buffers.
const (
	physAlign = 512     // of every buffer: cuMemAlloc gives eight bytes as much
	physFirst = 512     // bytes before the first small buffer: device hw allocates eight bytes for its clock when it is opened
	physPage  = 2 << 20 // size of a page; small buffers share pages
	physLarge = 1 << 20 // a buffer of at least this many bytes has its own pages
)

// Allocation is one buffer of global memory.
type Allocation struct {
	ID   int
	Name string
	Elem device.Kind
	Len  int    // elements
	Data []byte // aligned to at least 16 bytes; nil in a virtual memory
	GPU  int    // the number of its GPU in the group; 0 outside one
	// Phys is the address at which a device would have placed the buffer;
	// caches and DRAM channels hash it. It is independent of the address in
	// registers.
	Phys uint64
	of   *Allocation // the allocation of which this one is an alias; see Aliases
	// unwritten is nil if every byte has been written or if unwritten bytes are
	// not tracked.
	unwritten *Unwritten
}

// Key returns the same number for a buffer and all its aliases, as long as the
// buffer is allocated.
func (a *Allocation) Key() int {
	if a.of != nil {
		return a.of.ID
	}
	return a.ID
}

// Bytes returns the size in bytes.
func (a *Allocation) Bytes() int { return a.Len * a.Elem.Bytes() }

// Base returns the address of the first byte.
func (a *Allocation) Base() uint64 { return uint64(a.ID) << addrBits }

// Memory is the global memory of one GPU. GPUs of a group share one range of
// addresses: an address says on which of them a buffer is, and each can look up
// the buffers of all. It is not safe for concurrent use, and neither are
// memories of one group.
type Memory struct {
	*space
	gpu      int // number in the group
	capacity uint64
	used     uint64
	small    uint64 // next physical byte in the page that small buffers share
	smallEnd uint64
	next     uint64 // next unused physical page
	tables   map[*ir.Table]*Allocation
	// variables are those of modules that are on this GPU.
	variables map[*ir.Variable]*Allocation
	virtual   bool // the bytes are stored elsewhere
	// Real returns the address of an allocation for kernels that another executor runs as they stand; nil: Base.
	Real func(*Allocation) uint64
	// Track makes buffers that are allocated from now on track which of their
	// bytes have not been written.
	Track bool
	// Copied counts the bytes copied by Write and Read, and those that copies
	// between GPUs took from this memory and brought to it.
	Copied struct{ ToDevice, ToHost, ToPeers, FromPeers uint64 }
}

// space has the buffers of all GPUs of a group.
type space struct {
	gpus   []*Memory
	allocs []*Allocation  // by ID; nil if free; allocs[0] belongs to the nil pointer
	freed  []freedID      // in the order of the calls of Free
	owner  uint64         // of its buffers
	calls  *closing.Calls // of the device
	lost   bool           // the buffers are gone
	// reserved says that the IDs below firstID are for Share.
	reserved bool
}

type freedID struct {
	id   int
	name string
}

// NewMemory returns a memory of capacity bytes; 0 means no limit.
func NewMemory(capacity uint64) *Memory { return NewMemories(capacity)[0] }

// NewMemories returns the memories of the GPUs of a group, one for each
// capacity in bytes; 0 means no limit.
func NewMemories(capacities ...uint64) []*Memory {
	s := &space{allocs: make([]*Allocation, 1, 16), owner: device.NewOwner(), calls: &closing.Calls{}}
	for i, c := range capacities {
		s.gpus = append(s.gpus, &Memory{space: s, gpu: i, capacity: c, next: physPage})
	}
	return s.gpus
}

// NewVirtualMemories returns memories that manage buffers but do not hold their
// bytes, for devices that store them elsewhere. calls are those of the device,
// which may have other memories before and after these.
func NewVirtualMemories(calls *closing.Calls, capacities ...uint64) []*Memory {
	ms := NewMemories(capacities...)
	ms[0].calls = calls
	for _, m := range ms {
		m.virtual = true
	}
	return ms
}

// GPU returns the number of the memory's GPU in its group.
func (m *Memory) GPU() int { return m.gpu }

// Alloc allocates count elements of kind elem and poisons them: every byte is
// 0xA5, which makes an index out of range; floats are NaN.
func (m *Memory) Alloc(name string, elem device.Kind, count int) (device.Buffer, error) {
	if m.Closed() {
		return device.Buffer{}, fmt.Errorf("alloc %s: %w", name, device.ErrClosed)
	}
	if !elem.Valid() {
		return device.Buffer{}, fmt.Errorf("alloc %s: there is no kind %d; use device.U8 for bytes", name, uint8(elem))
	}
	if count < 0 {
		return device.Buffer{}, fmt.Errorf("alloc %s: %d elements", name, count)
	}
	bytes := uint64(count) * uint64(elem.Bytes())
	// The first test keeps offsets within an address, and the product of the
	// second from wrapping around.
	if uint64(count) > offMask/8 || m.capacity > 0 && bytes > m.capacity-m.used {
		return device.Buffer{}, fmt.Errorf("alloc %s: out of memory: %d elements of %s (%d bytes) where %d of %d bytes are free",
			name, count, elem, bytes, m.capacity-m.used, m.capacity)
	}
	if !m.virtual {
		host := bytes
		if m.Track {
			// One bit for each byte that is not written yet.
			host += bytes / 8
		}
		if err := memory.Need(host, "a buffer of %d elements of %s on the simulated device", count, elem); err != nil {
			return device.Buffer{}, fmt.Errorf("alloc %s: %w", name, err)
		}
	}
	id, err := m.newID()
	if err != nil {
		return device.Buffer{}, fmt.Errorf("alloc %s: %w", name, err)
	}
	buffer := &Allocation{ID: id, Name: name, Elem: elem, Len: count, GPU: m.gpu, Phys: m.place(bytes)}
	if !m.virtual {
		buffer.Data = alignedBytes(int(bytes))
		poison(buffer.Data, elem)
		if m.Track {
			buffer.unwritten = newUnwritten(len(buffer.Data))
		}
	}
	m.allocs[id] = buffer
	m.used += bytes
	return device.Buffer{Name: name, Elem: elem, Addr: buffer.Base(), Len: count, Owner: m.owner}, nil
}

// real returns the address of an allocation as kernels see it whose arguments are bytes.
func (m *Memory) real(a *Allocation) uint64 {
	if m.Real != nil {
		return m.Real(a)
	}
	return a.Base()
}

// Reserve keeps the addresses that a host can have for Share. It is called before anything is allocated; a device for which
// it is not called numbers its buffers from 1.
func (m *Memory) Reserve() {
	if len(m.allocs) == 1 {
		m.allocs, m.reserved = append(m.allocs, make([]*Allocation, firstID-1)...), true
	}
}

// Share makes memory of the host memory of this GPU, at an address at which the host can have it, too. All of it counts as
// written.
func (m *Memory) Share(name string, data []byte) (device.Buffer, error) {
	fail := func(format string, args ...any) (device.Buffer, error) {
		return device.Buffer{}, fmt.Errorf("share "+name+": "+format, args...)
	}
	if m.Closed() {
		return fail("%w", device.ErrClosed)
	}
	if m.virtual {
		return fail("the memory of this device is elsewhere")
	}
	if bytes := uint64(len(data)); bytes > offMask || m.capacity > 0 && bytes > m.capacity-m.used {
		return fail("out of memory: %d bytes where %d of %d are free", bytes, m.capacity-m.used, m.capacity)
	}
	if !m.reserved {
		return fail("no addresses were reserved for it")
	}
	for id := 1; id <= hostID; id++ {
		if m.allocs[id] != nil {
			continue
		}
		buffer := &Allocation{ID: id, Name: name, Elem: device.U8, Len: len(data), GPU: m.gpu, Phys: m.place(uint64(len(data))), Data: data}
		m.allocs[id] = buffer
		m.used += uint64(len(data))
		return device.Buffer{Name: name, Elem: device.U8, Addr: buffer.Base(), Len: len(data), Owner: m.owner}, nil
	}
	return fail("there are %d such buffers already, and no more addresses for another one", hostID)
}

// table returns the allocation of a table of constants. The table is placed
// when it is first needed, as a module's constants are when it is loaded, and
// stays there.
func (m *Memory) table(leaf *ir.Leaf) (*Allocation, error) {
	if buffer := m.tables[leaf.Table]; buffer != nil {
		return buffer, nil
	}
	elem := device.Kind(leaf.Elem)
	if !elem.Valid() || len(leaf.Table.Data)%elem.Bytes() != 0 {
		elem = device.U8
	}
	handle, err := m.Alloc(leaf.Name, elem, len(leaf.Table.Data)/elem.Bytes())
	if err != nil {
		return nil, err
	}
	buffer, _ := m.Lookup(handle.Addr)
	copy(buffer.Data, leaf.Table.Data)
	buffer.unwritten = nil
	if m.tables == nil {
		m.tables = map[*ir.Table]*Allocation{}
	}
	m.tables[leaf.Table] = buffer
	return buffer, nil
}

// newID prefers an ID that has never been used, so that accesses with stale
// addresses fault.
func (m *Memory) newID() (int, error) {
	if len(m.allocs) <= maxID {
		m.allocs = append(m.allocs, nil)
		return len(m.allocs) - 1, nil
	}
	if len(m.freed) == 0 {
		return 0, fmt.Errorf("more than %d buffers", maxID)
	}
	// The one freed longest ago is least likely to be in a stale handle.
	id := m.freed[0].id
	m.freed = m.freed[1:]
	return id, nil
}

// place returns a physical address as cudaMalloc would: large buffers start on
// their own pages, small ones are placed side by side in a shared page. Freed
// addresses are not reused.
func (m *Memory) place(bytes uint64) uint64 {
	size := (max(bytes, 1) + physAlign - 1) &^ (physAlign - 1)
	if bytes >= physLarge {
		at := m.next
		m.next += (size + physPage - 1) &^ (physPage - 1)
		return at
	}
	if m.small+size > m.smallEnd {
		first := m.smallEnd == 0
		m.small, m.smallEnd = m.next, m.next+physPage
		m.next += physPage
		if first {
			m.small += physFirst
		}
	}
	at := m.small
	m.small += size
	return at
}

// Free frees a buffer of this GPU. b must not be a part of a buffer.
func (m *Memory) Free(b device.Buffer) error {
	a, off, err := m.findOwn(b)
	if err != nil {
		return fmt.Errorf("free: %w", err)
	}
	if off != 0 || b.Len != a.Len {
		return fmt.Errorf("free: %s is a part of a buffer; free the whole", b.Name)
	}
	m.allocs[a.ID] = nil
	if !m.reserved || a.ID > hostID { // an address of the host's may come again
		m.freed = append(m.freed, freedID{a.ID, a.Name})
	}
	m.used -= uint64(a.Bytes())
	return nil
}

// Begin notes that a call of the device begins, which may use the memory until End
// of the result.
func (m *Memory) Begin() *closing.Calls { return m.calls.Begin() }

// During returns the context of a launch, which also ends when the memory is closed.
func (m *Memory) During(ctx context.Context) context.Context { return m.calls.During(ctx) }

// Close makes every later use of the memory of the group an error. When no call is
// in progress, it frees all memory, and calls free, if it is not nil, which frees
// what else the device holds.
func (m *Memory) Close(free func()) {
	m.calls.Close(func() {
		m.Drop()
		if free != nil {
			free()
		}
	})
}

// Drop frees all memory of the group now. Every later use of it is an error.
func (m *Memory) Drop() {
	clear(m.allocs)
	m.allocs, m.freed, m.lost = m.allocs[:1], nil, true
	for _, g := range m.gpus {
		g.used = 0
	}
}

// Closed reports whether Close or Drop was called.
func (m *Memory) Closed() bool { return m.calls.Closed() || m.lost }

// Each visits the buffers of the group, in the order of their addresses: a
// kernel on any of its GPUs may change them.
func (m *Memory) Each(visit func(*Allocation)) {
	for _, a := range m.allocs {
		if a != nil {
			visit(a)
		}
	}
}

// Used returns the number of bytes allocated now on this GPU.
func (m *Memory) Used() uint64 { return m.used }

// UsedByAll returns the number of bytes allocated now on all GPUs of the group.
func (m *Memory) UsedByAll() (sum uint64) {
	for _, g := range m.gpus {
		sum += g.used
	}
	return sum
}

// findOwn is Find for operations that need a buffer of this GPU.
func (m *Memory) findOwn(b device.Buffer) (*Allocation, int, error) {
	a, off, err := m.Find(b)
	if err == nil && a.GPU != m.gpu {
		err = fmt.Errorf("buffer %s is on GPU %d, not on GPU %d", a.Name, a.GPU, m.gpu)
	}
	return a, off, err
}

// Find returns the allocation that contains b, on any GPU of the group, and b's
// byte offset in it.
func (m *Memory) Find(b device.Buffer) (*Allocation, int, error) {
	if m.Closed() {
		return nil, 0, fmt.Errorf("buffer %s: %w", b.Name, device.ErrClosed)
	}
	return m.find(b)
}

// find is Find for a call that has found b before: it may go on with b if the
// device is closed meanwhile.
func (m *Memory) find(b device.Buffer) (*Allocation, int, error) {
	if b.Owner != m.owner {
		return nil, 0, fmt.Errorf("buffer %s is not of this device", b.Name)
	}
	buffer, off := m.Lookup(b.Addr)
	if buffer == nil {
		id := int(b.Addr >> addrBits)
		// The message can then tell a freed buffer from one of another device.
		for _, free := range m.freed {
			if free.id == id {
				return nil, 0, fmt.Errorf("buffer %s was freed", b.Name)
			}
		}
		return nil, 0, fmt.Errorf("buffer %s is not of this device", b.Name)
	}
	if b.Elem != buffer.Elem {
		return nil, 0, fmt.Errorf("buffer %s has elements of %s, the handle says %s", buffer.Name, buffer.Elem, b.Elem)
	}
	if b.Len < 0 || off+b.Bytes() > buffer.Bytes() {
		return nil, 0, fmt.Errorf("buffer %s has %d elements, the handle reaches to %d", buffer.Name, buffer.Len, off/buffer.Elem.Bytes()+b.Len)
	}
	return buffer, off, nil
}

// Lookup returns the allocation of a global address and the byte offset in it,
// which may be beyond its end; nil if there is none.
func (m *Memory) Lookup(addr uint64) (*Allocation, int) {
	id := addr >> addrBits
	if id >= uint64(len(m.allocs)) {
		return nil, 0
	}
	return m.allocs[id], int(addr & offMask)
}

// alignedBytes allocates n bytes, aligned for every access.
func alignedBytes(n int) []byte {
	words := hugepage.Make[[2]uint64]((n + 15) / 16)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

// poison fills a new buffer with values that are unlikely to be mistaken for
// correct ones.
func poison(data []byte, elem device.Kind) {
	if len(data) == 0 {
		return
	}
	unit := []byte{0xA5}
	switch elem {
	case device.F32:
		unit = []byte{0xA5, 0xA5, 0xE5, 0x7F}
	case device.F64:
		unit = []byte{0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xFD, 0x7F}
	}
	done := copy(data, unit)
	// Doubling what is filled already is a few large copies.
	for done < len(data) {
		done += copy(data[done:], data[:done])
	}
}
