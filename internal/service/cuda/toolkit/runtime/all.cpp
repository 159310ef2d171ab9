// The runtime as one file.
#include "api.cpp"
#include "channel.cpp"
#include "memory.cpp"
#include "missing.cpp"
#include "modules.cpp"
#include "tensors.cpp"
#include "textures.cpp"
