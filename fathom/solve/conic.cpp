#include "fathom/solve/conic.hpp"
