//go:build !kernel

package multi

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// sheet is an array of values, or of vertices, that one GPU sends to others.
type sheet struct {
	from int
	src  device.Buffer
	to   []receiver
	host any  // a slice for it in the memory of the host
	read bool // host has it
	// uncredited is set for values of which it is not yet known how many are useful.
	uncredited bool
}

// receiver is where a sheet goes.
type receiver struct {
	gpu    int
	dst    device.Buffer
	useful uint64 // bytes of useful values in it
}

// message is a sheet for one receiver.
type message struct{ src, dst device.Buffer }

// parcel is a message with its receiver.
type parcel struct {
	to int
	message
}

// mail is what is on its way from GPU to GPU. Through the host it takes two steps: the host
// reads a sheet, and when it has it, writes it to all receivers.
type mail struct {
	byHost bool
	store  func(ms []message) (*device.Launch, error) // of one sender, instead of copies, if not nil
	sheets []sheet
	room   map[uint64]reflect.Value // slices of the host, by the address that they are read from
}

// post adds a sheet. Empty sheets are not sent.
func (m *mail) post(s sheet) {
	if s.src.Len > 0 && len(s.to) > 0 {
		m.sheets = append(m.sheets, s)
	}
}

// unread reports whether the host must read a sheet before it can be delivered.
func (m *mail) unread() bool {
	for _, s := range m.sheets {
		if m.byHost && !s.read {
			return true
		}
	}
	return false
}

// reads adds the commands by which the host reads what it does not have. after returns the
// commands that end before a sheet is complete.
func (m *mail) reads(b *scheduler.Batch, after func(s sheet) []int) {
	for i := range m.sheets {
		s := &m.sheets[i]
		if !m.byHost || s.read {
			continue
		}
		s.read, s.host = true, m.slice(s.src)
		b.Add(scheduler.Transfer, device.Command{GPU: s.from, Stream: 1, After: after(*s), Read: &device.HostCopy{Buffer: s.src, Host: s.host}})
	}
}

// hostType is the Go type of the elements of a buffer.
var hostType = map[device.Kind]reflect.Type{
	device.U32: reflect.TypeFor[uint32](), device.S32: reflect.TypeFor[int32](), device.F32: reflect.TypeFor[float32](),
	device.U64: reflect.TypeFor[uint64](), device.S64: reflect.TypeFor[int64](), device.F64: reflect.TypeFor[float64](),
}

// slice returns a slice of the host for a sheet. It is the same for each sheet that begins at
// the same address; there is one at a time.
func (m *mail) slice(src device.Buffer) any {
	room, ok := m.room[src.Addr]
	if !ok || room.Len() < src.Len {
		room = reflect.MakeSlice(reflect.SliceOf(hostType[src.Elem]), src.Len, src.Len)
		if m.room == nil {
			m.room = map[uint64]reflect.Value{}
		}
		m.room[src.Addr] = room
	}
	return room.Slice(0, src.Len).Interface()
}

// deliver adds the commands that bring all sheets that can be delivered to their receivers, and
// forgets these sheets. Each pair of GPUs has a stream of its own for copies; one launch stores what a
// GPU sends to several others. It returns, for each of the GPUs, the commands that it waits for before
// it may use what it received, and calls count for what each one gets.
func (m *mail) deliver(b *scheduler.Batch, gpus int, count func(from int, r receiver)) (arrives [][]int, err error) {
	arrives = make([][]int, gpus)
	var later []sheet
	stored := make([][]parcel, gpus)
	for _, s := range m.sheets {
		if m.byHost && !s.read {
			later = append(later, s)
			continue
		}
		for _, r := range s.to {
			c := device.Command{GPU: s.from, Stream: 2 + r.gpu, Copy: &device.Copy{Dst: r.dst, Src: s.src}}
			count(s.from, r)
			if m.store != nil {
				stored[s.from] = append(stored[s.from], parcel{r.gpu, message{s.src, r.dst}})
				continue
			}
			if m.byHost {
				c = device.Command{GPU: r.gpu, Stream: 2 + s.from, Write: &device.HostCopy{Buffer: r.dst, Host: s.host}}
			}
			arrives[r.gpu] = append(arrives[r.gpu], b.Add(scheduler.Transfer, c))
		}
	}
	m.sheets = later
	for from, list := range stored {
		if err := m.launch(b, from, list, arrives); err != nil {
			return nil, err
		}
	}
	return arrives, nil
}

// launch adds the launches that store what a GPU sends. It begins with the next GPU's, so that
// not all store into the same memory first.
func (m *mail) launch(b *scheduler.Batch, from int, list []parcel, arrives [][]int) error {
	slices.SortStableFunc(list, func(x, y parcel) int {
		return cmp.Compare((x.to-from+len(arrives))%len(arrives), (y.to-from+len(arrives))%len(arrives))
	})
	for some := range slices.Chunk(list, Messages) {
		ms := make([]message, len(some))
		for i, p := range some {
			ms[i] = p.message
		}
		l, err := m.store(ms)
		if err != nil {
			return err
		}
		n := b.Add(scheduler.Transfer, device.Command{GPU: from, Stream: 2, Launch: l})
		for _, p := range some {
			arrives[p.to] = append(arrives[p.to], n)
		}
	}
	return nil
}
