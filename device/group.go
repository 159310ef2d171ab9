package device

import (
	"context"
	"fmt"
)

// Group is several GPUs of one host that links join. Its Capabilities include Peers.
//
// A group is also a Device. As such it is its first GPU: memory, launches and occupancy are
// those of GPU 0. Name, Now, Total and Close are those of the whole group.
//
// Buffers of all GPUs have different addresses, so a buffer alone says on which GPU it is. A
// kernel may use buffers of another GPU if Peer allows it.
type Group interface {
	Device
	// GPUs returns the number of GPUs, at least 1.
	GPUs() int
	// GPU returns a GPU, from 0. Its Name is that of the group with the number: "sim:h200x2#1".
	// Closing it does nothing; Close of the group closes all.
	GPU(i int) Device
	// Where returns the number of the GPU that has a buffer. The error says why the buffer
	// cannot be used: it was freed, or is not of this group.
	Where(b Buffer) (gpu int, err error)
	// Peer returns how GPU from reaches the memory of GPU to.
	Peer(from, to int) Peer
	// Run does all commands and returns when the last one has ended, with a Timing for each.
	// Commands run at the same time as far as Command.Stream and Command.After allow and the
	// machine can. A launch may wait for stores of another command that may run at the same time.
	// Whether a machine runs two launches of one GPU at the same time depends on what room they
	// leave each other, so launches that wait for each other are on different GPUs, and
	// cooperative. The first error ends the run; there is a Timing for each command, whose Report
	// is nil if it did not begin.
	// Errors are those of the methods of Device, after the number of the command and its GPU
	// (Command.Failed). Nothing is run if CheckCommands returns an error.
	Run(ctx context.Context, cmds []Command) ([]Timing, error)
	// Links returns what each link has carried so far, in a fixed order.
	Links() []LinkUse
}

// Command is one asynchronous operation on a GPU of a Group. Exactly one of Launch, Copy, Write
// and Read is set.
type Command struct {
	GPU int // which GPU's stream the command is on
	// Stream is a queue of the GPU: commands of one stream of one GPU run one after another, in
	// the order of the list. 0 is the default stream; it waits for no other stream.
	Stream int
	// After are the commands, by index in the list, that end before this one begins. They come
	// earlier in the list.
	After []int

	Launch *Launch
	Copy   *Copy
	Write  *HostCopy // from the host to a GPU
	Read   *HostCopy // from a GPU to the host
}

// Copy copies Src to Dst, which are on the same GPU or on different ones and have the same
// element kind and length. It is a command of one of the two GPUs. Between GPUs without
// Peer.Copy the data pass through the memory of the host.
type Copy struct{ Dst, Src Buffer }

// Check returns an error if the two buffers differ in kind or length, or if they overlap.
func (c Copy) Check() error {
	switch d, s := c.Dst, c.Src; {
	case !s.Elem.Valid() || s.Len < 0:
		return fmt.Errorf("copy of %s to %s: there is no buffer of %d elements of %s", s.Name, d.Name, s.Len, s.Elem)
	case d.Elem != s.Elem:
		return fmt.Errorf("copy of %s to %s: elements of %s to elements of %s", s.Name, d.Name, s.Elem, d.Elem)
	case d.Len != s.Len:
		return fmt.Errorf("copy of %s to %s: %d elements to %d; use Buffer.Slice for a part", s.Name, d.Name, s.Len, d.Len)
	case d.Owner == s.Owner && d.Addr < s.Addr+uint64(s.Bytes()) && s.Addr < d.Addr+uint64(d.Bytes()):
		return fmt.Errorf("copy of %s to %s: they overlap", s.Name, d.Name)
	}
	return nil
}

// HostCopy copies between a buffer and a slice of the host, as Device.Write and Device.Read do.
// The slice must not be used until Run returns.
type HostCopy struct {
	Buffer Buffer
	Host   any
}

// Timing says when a command ran, in seconds on the clock of Group.Now; both times are 0 on a
// device without a Clock. Report is that of a launch; for copies it has the bytes.
type Timing struct {
	Start, End float64
	Report     *Report
}

// Peer is how one GPU reaches the memory of another one. A GPU reaches its own memory in every
// way.
type Peer struct {
	Copy    bool // copies go over a link without passing through the host's memory
	Access  bool // kernels may load and store the other GPU's memory
	Atomics bool // and update it atomically
	// Link is the kind of the link that the data take: "NVLink 4", "PCIe 3"; "" if it is not
	// known.
	Link string
}

// LinkUse is what a link carried in one direction.
type LinkUse struct {
	From, To string  // "GPU 0", "GPU 1", "host", or a switch: "root complex"
	Kind     string  // as Peer.Link
	Bytes    uint64  // payload
	Wire     uint64  // payload and headers, padding and requests, in bytes
	Busy     float64 // seconds in which the link was transmitting
}

// AsGroup returns a device as a Group if it is one.
func AsGroup(d Device) (Group, bool) {
	g, ok := d.(Group)
	return g, ok && d.Capabilities().Has(Peers)
}
