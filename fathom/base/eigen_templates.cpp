#include "fathom/base/internal/eigen_templates.hpp"

#define FATHOM_EIGEN  // compiled here
#include "fathom/base/internal/eigen_templates.hpp"
