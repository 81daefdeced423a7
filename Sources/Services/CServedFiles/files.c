#include "CServedFiles.h"

// An extension in the C that SwiftPM compiles.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../../docs/openapi.yaml"
};

static const unsigned char service_worker[] = {
#embed "service-worker.js"
};

const unsigned char *fanfare_openapi_document(void) { return document; }

size_t fanfare_openapi_document_size(void) { return sizeof document; }

const unsigned char *fanfare_service_worker(void) { return service_worker; }

size_t fanfare_service_worker_size(void) { return sizeof service_worker; }
