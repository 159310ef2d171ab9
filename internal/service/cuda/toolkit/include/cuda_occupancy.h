// Thrust includes this header and uses nothing of it; the occupancy of a kernel is in cuda_runtime_api.h.
#pragma once
