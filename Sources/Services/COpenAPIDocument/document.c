#include "COpenAPIDocument.h"

// An extension in the C that SwiftPM compiles.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../../docs/openapi.yaml"
};

const unsigned char *fanfare_openapi_document(void) { return document; }

size_t fanfare_openapi_document_size(void) { return sizeof document; }
