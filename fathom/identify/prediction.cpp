#include "fathom/identify/prediction.hpp"
