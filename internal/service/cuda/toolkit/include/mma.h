#error "weft has no tensor cores"
