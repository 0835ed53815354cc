#include "fathom/identify/metrics.hpp"
