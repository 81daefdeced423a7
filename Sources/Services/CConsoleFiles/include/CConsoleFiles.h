#pragma once

#include <stddef.h>

// The console's files, which the compiler embeds (C23 `#embed`): docs/decisions/0039-the-consoles-files-are-embedded.md.

struct fanfare_console_file {
    /// The path below the folder of this target, as in `core/start.js`.
    const char *name;
    const unsigned char *bytes;
    /// Bytes of the file.
    size_t count;
};

/// Writes the files into a table, as far as it has room.
/// - Returns: the number of files.
size_t fanfare_console_files(struct fanfare_console_file *table, size_t room);
