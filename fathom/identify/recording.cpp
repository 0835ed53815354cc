#include "fathom/identify/recording.hpp"
