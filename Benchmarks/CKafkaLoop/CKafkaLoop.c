#include "CKafkaLoop.h"
