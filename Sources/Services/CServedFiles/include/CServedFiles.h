#pragma once

#include <stddef.h>

// Files that the service serves. The compiler embeds them (C23 `#embed`), as Swift has no way to embed a file.

/// The bytes of docs/openapi.yaml.
const unsigned char *fanfare_openapi_document(void);

/// The size of the document in bytes.
size_t fanfare_openapi_document_size(void);

/// The bytes of service-worker.js, which shows pushes in browsers.
const unsigned char *fanfare_service_worker(void);

/// The size of the service worker in bytes.
size_t fanfare_service_worker_size(void);

/// The bytes of Clients/JavaScript/fanfare.js, an ES module.
const unsigned char *fanfare_client_module(void);

/// The size of the module in bytes.
size_t fanfare_client_module_size(void);

/// The bytes of Clients/JavaScript/fanfare.d.ts, the module's types.
const unsigned char *fanfare_client_types(void);

/// The size of the types in bytes.
size_t fanfare_client_types_size(void);
