import CloudModel

/// What the operations of one request may do together beside what they say themselves.
struct BatchRoom {
    /// Records that deletions may take with them.
    var cascadedRecords = Limits.cascadedDeletionsMax
    /// Bytes of those.
    var cascadedBytes = Limits.cascadedBytesMax
    /// Records below moved ones that may be looked at.
    var movedRecords = Limits.movedRecordsMax
}
