#include "fathom/filter/track.hpp"
