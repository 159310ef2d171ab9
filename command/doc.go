// Package command is the command weft: it runs graph algorithms written in Go
// on simulated GPUs, checks the answer, and says what the machine did. A program of
// your own whose main calls Main has all commands.
package command
