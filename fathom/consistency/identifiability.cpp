#include "fathom/consistency/identifiability.hpp"
