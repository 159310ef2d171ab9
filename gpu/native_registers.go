package gpu

import "fmt"

// countRegisters checks a number of registers, which plain Go does not have.
func countRegisters(name string, n, most uint32) {
	if n%8 != 0 || n < 24 || n > most {
		panic(misuse(fmt.Sprintf("%s of %d registers; want a multiple of 8 from 24 to %d", name, n, most)))
	}
}
