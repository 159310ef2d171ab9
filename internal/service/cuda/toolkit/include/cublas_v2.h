#error "weft has no cublas: it is a library of NVIDIA's, of which there is no source; compute on the host what the program needs of it"
