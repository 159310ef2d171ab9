package ir

// Space is a memory space. Generic addresses encode the space in their top bits
// (SharedWindow, LocalWindow).
type Space uint8

// The memory spaces.
const (
	Generic Space = iota
	Global
	Shared
	Local
	NumSpaces
)

// SharedWindow and LocalWindow are the address bits that mark generic addresses
// of shared and local memory. Global addresses are below both.
const (
	SharedWindow uint64 = 1 << 62
	LocalWindow  uint64 = 1 << 61
)

// Order is the memory order of an access.
type Order uint8

// The orders. Weak is the order of a plain Go access.
const (
	Weak Order = iota
	Relaxed
	Acquire
	Release
	AcqRel
	SeqCst // fences only
	NumOrders
)

// Scope is the set of threads with which an ordered access synchronises.
type Scope uint8

// The scopes. The zero value, NoScope, is for Weak accesses.
const (
	NoScope Scope = iota
	ScopeBlock
	ScopeDevice
	ScopeSystem
	NumScopes
)

// Cache is a caching hint.
type Cache uint8

// The hints: none, streaming (evict first), cache at all levels, the
// non-coherent path (set only by a pass that has proved it safe), and cache in
// L2 only.
const (
	CacheDefault Cache = iota
	CacheStreaming
	CacheAll
	CacheNonCoherent
	CacheL2
	NumCaches
)

var (
	spaceNames = [NumSpaces]string{"generic", "global", "shared", "local"}
	orderNames = [NumOrders]string{"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}
	scopeNames = [NumScopes]string{"none", "block", "device", "system"}
	cacheNames = [NumCaches]string{"default", "streaming", "all", "nc", "l2"}
)

// String returns the space's name in the text form.
func (s Space) String() string { return spaceNames[s] }

// String returns the order's name in the text form.
func (o Order) String() string { return orderNames[o] }

// String returns the scope's name in the text form.
func (s Scope) String() string { return scopeNames[s] }

// String returns the hint's name in the text form.
func (c Cache) String() string { return cacheNames[c] }

// Mem describes a memory access.
type Mem struct {
	Kind  Kind  // of one element in memory
	Vec   uint8 // elements: 1, 2 or 4
	Space Space
	Order Order
	Scope Scope
	Cache Cache
}

// Bytes returns how many bytes one thread accesses.
func (m Mem) Bytes() int { return m.Kind.Bytes() * int(m.Vec) }
