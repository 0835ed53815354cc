#include "fathom/consistency/conditions.hpp"
