#include "CSQLiteLoop.h"
