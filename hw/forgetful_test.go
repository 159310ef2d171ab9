package hw_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/weft-gpu/weft/hw"
)

// forgetful makes the test binary a program whose children do not serve; its value selects the kind of program.
// starts is a file to which each process appends a line.
const (
	forgetful = "WEFT_HW_TEST_FORGETFUL"
	starts    = "WEFT_HW_TEST_STARTS"
)

// forget is such a program.
func forget() {
	kind := os.Getenv(forgetful)
	if kind == "" {
		return
	}
	f, err := os.OpenFile(os.Getenv(starts), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Fprintln(f, "started")
	before, err := os.ReadFile(f.Name())
	first := err == nil && strings.Count(string(before), "\n") == 1
	switch {
	case kind == "leaves" && !first:
		os.Exit(3)
	case kind == "stays" && !first:
		select {}
	case kind == "stays":
		hw.SetAnswerTime(100 * time.Millisecond) // the child never answers
	}
	fmt.Println("noise on the standard output")
	for range 2 { // a program that tries again
		_, err = hw.Open("hw", 0, hw.Options{})
		fmt.Println(err, hw.IsMissing(err))
	}
	os.Exit(0)
}
