package cuda

import (
	"bytes"
	"encoding/binary"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/cuda/printing"
)

// printed returns what kernels have printed since it was asked for last.
func (s *session) printed() (text []byte) {
	if !s.ran {
		return nil
	}
	s.ran = false
	if s.real(0) != nil {
		return s.printedByDriver()
	}
	for _, m := range s.modules {
		if !m.prints {
			continue
		}
		for gpu := range s.gpus {
			text = append(text, s.printedBy(m, gpu)...)
		}
	}
	return text
}

// printedBy empties the buffer of a module on a GPU. What cannot be read, after a fault, was not printed.
func (s *session) printedBy(m *module, gpu int) string {
	v, err := m.Variable(printing.Buffer)
	if err != nil {
		return ""
	}
	d := s.gpus[gpu]
	b, err := device.VariableOn(d, v.ForHost())
	if err != nil {
		return ""
	}
	head := make([]byte, 8)
	if d.Read(b.Slice(0, 8), head) != nil {
		return ""
	}
	words, lost := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	if words == 0 {
		return ""
	}
	records := make([]byte, 4*min(words, printing.Words))
	if d.Read(b.Slice(8, 8+len(records)), records) != nil || d.Write(b.Slice(0, 8), make([]byte, 8)) != nil {
		return ""
	}
	if lost > 0 {
		s.program.warn("the output of printf in kernels is larger than a megabyte between two synchronisations; the rest of it is lost")
	}
	s.place(m, gpu)
	return printing.Text(records, s.text)
}

// place enters the variables of a module into the memory of the session.
func (s *session) place(m *module, gpu int) {
	list, err := m.Variables()
	if err != nil {
		return // it is told when the kernel is built
	}
	for _, v := range list {
		if b, err := device.VariableOn(s.gpus[gpu], v.ForHost()); err == nil && b.Len > 0 && s.memory.find(b.Addr) == nil {
			s.memory.add(&region{buffer: b, at: b.Addr, kind: kindGlobal, gpu: gpu})
		}
	}
}

// text returns the string at an address of the device.
func (s *session) text(address uint64) (string, bool) {
	r := s.memory.find(address)
	if r == nil {
		return "", false
	}
	from := int(address - r.at)
	data := make([]byte, r.buffer.Len-from)
	if s.gpus[r.gpu].Read(r.buffer.Slice(from, r.buffer.Len), data) != nil {
		return "", false
	}
	text, _, _ := bytes.Cut(data, []byte{0})
	return string(text), true
}
