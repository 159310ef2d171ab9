// Command weft runs graph algorithms written in Go on simulated GPUs, checks
// the answers, and shows what the machine did.
package main

import "github.com/weft-gpu/weft/command"

func main() { command.Main() }
