#include "CHTTPLoop.h"
