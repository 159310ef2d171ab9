#error "weft has no asynchronous copies"
