#pragma once
#include <yaml.h>

/* A node's content is a union of unnamed structs: read here. Nodes are numbered from 1; what is returned belongs to the
   document. */

static inline int cyaml_kind(const yaml_node_t *node) { return (int)node->type; }

static inline size_t cyaml_line(const yaml_node_t *node) { return node->start_mark.line + 1; }

static inline const char *cyaml_text(const yaml_node_t *node, size_t *length) {
    *length = node->data.scalar.length;
    return (const char *)node->data.scalar.value;
}

/* Whether a scalar stands without quotes, so that its form decides what it is. */
static inline int cyaml_is_plain(const yaml_node_t *node) {
    return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static inline size_t cyaml_count(const yaml_node_t *node) {
    return node->type == YAML_SEQUENCE_NODE
        ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
        : (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

static inline int cyaml_item(const yaml_node_t *node, size_t index) { return node->data.sequence.items.start[index]; }

static inline int cyaml_key(const yaml_node_t *node, size_t index) { return node->data.mapping.pairs.start[index].key; }

static inline int cyaml_value(const yaml_node_t *node, size_t index) {
    return node->data.mapping.pairs.start[index].value;
}
