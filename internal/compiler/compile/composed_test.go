package compile

// composed returns the names of schemes' kernels with the project's algorithms.
func composed() (names []string) {
	for _, a := range [][2]string{{"BFS", "uint32"}, {"CC", "uint32"}, {"PageRank", "float32"}, {"SSSP", "uint32"}} {
		names = append(names, "scheduler.Init[kernels."+a[0]+", "+a[1]+"]", "blockqueue.Push[kernels."+a[0]+", "+a[1]+"]")
		for _, m := range []string{"Thread", "Warp", "Block"} {
			names = append(names, "bsp.Push[kernels."+a[0]+", scheduler."+m+"PerVertex, "+a[1]+"]")
		}
	}
	for _, m := range []string{"Thread", "Warp", "Block"} {
		names = append(names, "bsp.Pull[kernels.PageRankPull, scheduler."+m+"PerVertex, float32]")
	}
	return names
}
