package race

import (
	"github.com/weft-gpu/weft/internal/core/simt"
)

// epoch is an access by lanes of one warp at one time.
type epoch struct {
	warp  uint32 // number in the launch; of a list: its index
	clock uint32 // of the warp; of a list: the latest. Not later than the base of the memory: no access.
	lanes uint32
	info  info
}

// info describes the instruction of an access.
type info uint32

// The parts of an info: the position in the program, the scope of a strong
// access, the log2 of the width, and whether the epoch stands for a list.
const (
	infoPC    info = 1<<24 - 1
	infoWide  info = 1 << 24 // the scope includes other blocks
	infoWidth      = 25      // shift of three bits
	infoAll   info = 1 << 28 // the scope includes other GPUs
	infoList  info = 1 << 31
)

func (i info) pc() int32  { return int32(i & infoPC) }
func (i info) width() int { return int(i >> infoWidth & 7) }

// cell holds what must be remembered of the accesses to a piece of memory.
type cell struct {
	write  epoch // the last plain store
	read   epoch // plain loads since then
	stored epoch // strong writes since then
	loaded epoch // strong reads since then
}

// shadow holds the cells of a buffer, or of the shared memory of a block.
type shadow struct {
	cells []cell
	// sync has for each cell the index in Detector.releases of what a thread
	// that reads the word may acquire; nil before the first one.
	sync []uint32
	// synced is the launch to which sync belongs: a kernel may find a buffer by an address that it has read, so that the
	// launches that use it are not known before.
	synced uint64
	grain  uint8 // log2 of the bytes of a cell
	fixed  bool  // grain is set: there was an access
	bytes  int
	alloc  *simt.Allocation // nil for shared memory
	flags  flags
	used   uint64 // the last launch that may have used it
}

// refine makes cells small enough for an access of 1<<grain bytes.
func (s *shadow) refine(grain uint8) {
	// The first access decides the size of a cell, which most often stays: a buffer is accessed by its element.
	if !s.fixed {
		s.grain, s.fixed = grain, true
		s.cells = make([]cell, (s.bytes+1<<grain-1)>>grain)
		return
	}
	if grain >= s.grain {
		return
	}
	by := s.grain - grain
	cells := make([]cell, (s.bytes+1<<grain-1)>>grain)
	for i := range cells {
		cells[i] = s.cells[i>>by]
		// Lists are not shared between cells: keep the latest entry.
		for _, earlier := range []*epoch{&cells[i].read, &cells[i].stored, &cells[i].loaded} {
			if earlier.info&infoList != 0 && i&(1<<by-1) != 0 {
				*earlier = epoch{}
			}
		}
	}
	// What a word releases belongs to its first byte: a strong access is aligned to its width.
	if s.sync != nil {
		sync := make([]uint32, len(cells))
		for i, r := range s.sync {
			if r != 0 && i<<by < len(sync) {
				sync[i<<by] = r
			}
		}
		s.sync = sync
	}
	s.cells, s.grain = cells, grain
}

// maxList is the largest number of epochs that a list holds.
const maxList = 64

// lists are the lists of epochs of cells.
type lists struct {
	all  [][]epoch
	skip []uint8 // how often a full list is not searched for entries to drop
	free []uint32
}

func (l *lists) reset() { l.free, l.all, l.skip = l.free[:0], l.all[:0], l.skip[:0] }

// take returns the index of an empty list.
func (l *lists) take() uint32 {
	if n := len(l.free); n > 0 {
		i := l.free[n-1]
		l.free, l.skip[i] = l.free[:n-1], 0
		return i
	}
	l.skip = append(l.skip, 0)
	if len(l.all) < cap(l.all) {
		// The array of an earlier launch is used again: lists come and go with each launch.
		l.all = l.all[:len(l.all)+1]
		l.all[len(l.all)-1] = l.all[len(l.all)-1][:0]
	} else {
		l.all = append(l.all, make([]epoch, 0, 4))
	}
	return uint32(len(l.all) - 1)
}

// put frees the list of an epoch, if it has one.
func (l *lists) put(earlier *epoch) {
	if earlier.info&infoList != 0 {
		l.all[earlier.warp] = l.all[earlier.warp][:0]
		l.free = append(l.free, earlier.warp)
	}
}
