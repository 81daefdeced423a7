#include "CServedFiles.h"

// An extension in the C that SwiftPM compiles.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../../docs/openapi.yaml"
};

static const unsigned char service_worker[] = {
#embed "service-worker.js"
};

static const unsigned char client_module[] = {
#embed "../../../Clients/JavaScript/fanfare.js"
};

static const unsigned char client_types[] = {
#embed "../../../Clients/JavaScript/fanfare.d.ts"
};

const unsigned char *fanfare_openapi_document(void) { return document; }

size_t fanfare_openapi_document_size(void) { return sizeof document; }

const unsigned char *fanfare_service_worker(void) { return service_worker; }

size_t fanfare_service_worker_size(void) { return sizeof service_worker; }

const unsigned char *fanfare_client_module(void) { return client_module; }

size_t fanfare_client_module_size(void) { return sizeof client_module; }

const unsigned char *fanfare_client_types(void) { return client_types; }

size_t fanfare_client_types_size(void) { return sizeof client_types; }
