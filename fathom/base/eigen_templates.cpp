#include "fathom/base/internal/eigen_templates.inc"

#define FATHOM_EIGEN  // compiled here
#include "fathom/base/internal/eigen_templates.inc"
