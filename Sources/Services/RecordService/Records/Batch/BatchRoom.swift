import CloudModel

/// Bounds of what the operations of one request may do together beside what they say themselves.
struct BatchRoom {
    /// Records that deletions may take with them.
    var cascadedRecords = Limits.cascadedDeletionsMax
    /// Bytes of those.
    var cascadedBytes = Limits.cascadedBytesMax
    /// Records below moved ones that may be looked at.
    var movedRecords = Limits.movedRecordsMax

    /// Takes room for a record that is deleted with another.
    mutating func take(_ image: RecordImage, with name: RecordName) throws(CloudError) {
        cascadedRecords -= 1
        cascadedBytes -= image.body.count
        guard cascadedRecords >= 0, cascadedBytes >= 0 else {
            throw CloudError(
                .quotaExceeded,
                "deleting '\(name)' would delete more records that refer to it by DELETE_SELF than a request may: \(Limits.cascadedDeletionsMax), or \(Limits.cascadedBytesMax) bytes; delete some of those first"
            )
        }
    }
}
