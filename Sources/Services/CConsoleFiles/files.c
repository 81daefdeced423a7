#include "CConsoleFiles.h"

// An extension in the C that SwiftPM compiles.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Each file of the console has one pair of lines here, by its path from this folder, in the order of the paths.
// `ConsoleFileTests` compare the table with the folder.
size_t fanfare_console_files(struct fanfare_console_file *table, size_t room) {
    size_t count = 0;
#define FILE "console.css"
#include "embed.h"
#define FILE "core/start.js"
#include "embed.h"
#define FILE "icon.svg"
#include "embed.h"
#define FILE "index.html"
#include "embed.h"
    return count;
}
