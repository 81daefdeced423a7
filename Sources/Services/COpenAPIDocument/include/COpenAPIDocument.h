#pragma once

#include <stddef.h>

/// The bytes of docs/openapi.yaml. The compiler embeds them (C23 `#embed`), as Swift has no way to embed a file.
const unsigned char *fanfare_openapi_document(void);

/// The size of the document in bytes.
size_t fanfare_openapi_document_size(void);
