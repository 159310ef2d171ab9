//go:build !kernel

package main

import (
	"context"
	"embed"
	"fmt"
	"log"
	"os"

	"github.com/weft-gpu/weft"
)

//go:embed queens.go
var source embed.FS

func main() {
	found, rep, err := count(context.Background(), append(os.Args, "func")[1], 8, weft.Workers[Board]{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d ways to place 8 queens, by %d tasks\n", found, rep.Tasks)
}

// count runs the tasks on a device.
func count(ctx context.Context, name string, n uint32, w weft.Workers[Board]) (uint32, *weft.TaskReport, error) {
	dev, err := weft.Open(ctx, name, weft.Options{})
	if err != nil {
		return 0, nil, err
	}
	defer dev.Close()
	pkg, err := weft.LoadFS("example.com/outside/queens", source)
	if err != nil {
		return 0, nil, err
	}
	found, err := weft.Upload(dev, "found", []uint32{0})
	if err != nil {
		return 0, nil, err
	}
	w.App, w.Arg, w.First = "Queens", [...]any{n, found}, []Board{{}}
	rep, err := weft.RunTasks(ctx, dev, pkg, w)
	ways := []uint32{0}
	if err == nil {
		err = found.Read(ways)
	}
	return ways[0], rep, err
}
