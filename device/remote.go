package device

import (
	"maps"
	"slices"
)

// RemoteUse is what GPUs of a group have moved to and from buffers of one name in the memory of other GPUs: by loads, stores and atomics of
// kernels, and by copies from GPU to GPU into them. Bytes are the payload that links count (LinkUse), once for each access.
type RemoteUse struct {
	Buffer string
	Bytes  uint64
}

// RemoteCounter is a group that knows what RemoteUse is about.
type RemoteCounter interface {
	// RemoteUses returns the uses so far, by name.
	RemoteUses() []RemoteUse
}

// RemoteUses returns what the GPUs of a group have moved between them so far, by the name of the buffer; nothing for a device that does not count it.
func RemoteUses(d Device) []RemoteUse {
	if c, ok := d.(RemoteCounter); ok {
		return c.RemoteUses()
	}
	return nil
}

// RemoteBytes counts the bytes of RemoteUse, by name.
type RemoteBytes map[string]uint64

// Uses returns the counts, by name.
func (b RemoteBytes) Uses() (list []RemoteUse) {
	for _, name := range slices.Sorted(maps.Keys(b)) {
		list = append(list, RemoteUse{name, b[name]})
	}
	return list
}
