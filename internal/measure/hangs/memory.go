package hangs

import "github.com/weft-gpu/weft/device"

// memory holds the buffers of a launch. Its first error is kept, and later calls do nothing.
type memory struct {
	dev     device.Device
	buffers map[string]device.Buffer
	err     error
}

// words allocates n words; the first ones have the given values, the others are 0.
func (m *memory) words(name string, n int, first ...uint32) device.Buffer {
	if m.err != nil {
		return device.Buffer{}
	}
	data := make([]uint32, n)
	copy(data, first)
	b, err := m.dev.Alloc(name, device.U32, n)
	if err == nil {
		err = m.dev.Write(b, data)
	}
	m.err, m.buffers[name] = err, b
	return b
}

// read returns the words of a buffer.
func (m *memory) read(name string) []uint32 {
	data := make([]uint32, m.buffers[name].Len)
	if m.err == nil {
		m.err = m.dev.Read(m.buffers[name], data)
	}
	return data
}
