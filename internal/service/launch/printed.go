package launch

import (
	"bytes"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// isPTX reports whether a kernel was read from PTX.
func isPTX(k *device.Kernel) bool {
	code := ir.Compiled(k)
	return code != nil && code.Source != nil
}

// printed returns what printf of a kernel of PTX has written on a device.
func printed(dev device.Device, k *device.Kernel) (string, error) {
	if !isPTX(k) || ir.Compiled(k).Source.Printer.PrintBuffer() == nil {
		return "", nil
	}
	if d, ok := dev.(interface{ Printed() (string, error) }); ok { // a GPU's driver has a printf of its own
		return d.Printed()
	}
	p := ir.Compiled(k).Source.Printer
	b, err := device.VariableOn(dev, p.PrintBuffer().ForHost())
	if err != nil {
		return "", err
	}
	data := make([]byte, b.Len)
	if err := dev.Read(b, data); err != nil {
		return "", err
	}
	all, err := p.Variables()
	if err != nil {
		return "", err
	}
	out, lost := p.Printed(data, func(address uint64) string {
		for _, v := range all {
			b, err := device.VariableOn(dev, v.ForHost())
			if err != nil || address < b.Addr || address >= b.Addr+uint64(b.Len) {
				continue
			}
			text := make([]byte, b.Len)
			if dev.Read(b, text) == nil {
				text, _, _ = bytes.Cut(text[address-b.Addr:], []byte{0})
				return string(text)
			}
		}
		return fmt.Sprintf("(string at %#x)", address)
	})
	if lost > 0 {
		out += fmt.Sprintf("(%d bytes of printf did not fit its buffer)\n", lost)
	}
	return out, nil
}
