// Command outside is the command line of weft with an algorithm, a scheme and a
// policy of this module linked in:
//
//	go run . run minimax --scheduler octet --device sim:./machine.yaml --set l1.replacement=mru
package main

import (
	_ "example.com/outside/mru"

	"example.com/outside/minimax"
	"example.com/outside/octet"
	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/command"
	"github.com/weft-gpu/weft/scheduler"
)

var extensions = weft.Extensions{
	Schemes:    []func() scheduler.Scheme{octet.New},
	Algorithms: []func() scheduler.Host{minimax.New},
}

func main() { command.Main(extensions) }
