#error "weft has no wmma; of tensor cores it has mma.sync, ldmatrix and movmatrix as inline PTX"
