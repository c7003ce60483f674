// All types are in types.hpp.
#include "../types.hpp"
