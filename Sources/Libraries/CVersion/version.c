#include "CVersion.h"

// An extension in the C that SwiftPM compiles.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char text[] = {
#embed "../../../VERSION" suffix(, 0)
};

const char *fanfare_version(void) { return text; }
