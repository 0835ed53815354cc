#include "fathom/solve/serial_correlation.hpp"
