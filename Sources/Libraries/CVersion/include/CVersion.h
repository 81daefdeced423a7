#pragma once

/// The text of the file VERSION, with its line end.
const char *fanfare_version(void);
