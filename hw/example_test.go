package hw_test

import (
	"fmt"

	"github.com/weft-gpu/weft/hw"
)

// Open a GPU if the machine has one, with checks of bounds and divisors.
func ExampleOpen() {
	d, err := hw.Open("hw", 0, hw.Options{Check: true})
	if hw.IsMissing(err) {
		fmt.Println("no GPU:", err)
		return
	}
	if err != nil {
		panic(err)
	}
	defer d.Close()
	fmt.Println(d.Model())
}
