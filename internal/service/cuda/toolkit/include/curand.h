#error "weft has no curand for the host: it is a library of NVIDIA's, of which there is no source; kernels have curand_kernel.h, and the host has <random>"
