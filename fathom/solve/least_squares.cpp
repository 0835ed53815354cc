#include "fathom/solve/least_squares.hpp"
