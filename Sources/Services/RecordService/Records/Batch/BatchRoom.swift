import CloudModel

/// Bounds of what the operations of one request may do together beside what they say themselves.
struct BatchRoom: Sendable {
    /// The bytes that may still be moved, and the limit from which they began.
    private(set) var bytes: Int
    let limit: ExceededLimit
    /// Bytes of records that the answer may hold.
    private var answerBytes = Limits.lookupBytesMax
    /// Records that deletions may take with them.
    var cascadedRecords = Limits.cascadedDeletionsMax
    /// Records below moved ones that may be looked at.
    var movedRecords = Limits.movedRecordsMax

    /// The room of a request whose operations fail by themselves.
    init() { self.init(ExceededLimit("movedBytesMax", Limits.movedBytesMax)) }

    /// The room of a request whose operations are done together or not at all.
    static let atomic = BatchRoom(ExceededLimit("atomicBytesMax", Limits.atomicBytesMax))

    /// - Parameter limit: its value is the bytes there are.
    init(_ limit: ExceededLimit) {
        self.limit = limit
        bytes = Int(limit.value)
    }

    /// Takes bytes that were moved.
    mutating func take(_ count: Int) { bytes -= count }

    /// Checks that there is room.
    /// - Parameter name: the record of the operation; nil where it has no name yet.
    func check(_ count: Int, for name: RecordName?) throws(CloudError) {
        guard bytes < count else { return }
        throw CloudError.exceeded(
            limit,
            "with \(name.map { "'\($0)'" } ?? "this operation") the request would move more than \(limit.value) bytes: the records as they were and as they become, in the store and in what is published, and \(Limits.rowBytes) for each row; send the operations that failed in requests of their own"
        )
    }

    /// Takes room for a record of the answer.
    mutating func answer(_ count: Int, for name: RecordName) throws(CloudError) {
        guard count <= answerBytes else {
            throw CloudError.exceeded(
                ExceededLimit("lookupBytesMax", Limits.lookupBytesMax),
                "with '\(name)' the answer would have more than \(Limits.lookupBytesMax) bytes of records; send the operations that failed in requests of their own"
            )
        }
        answerBytes -= count
    }

    /// Takes room for records that are deleted with another.
    mutating func takeCascade(_ count: Int, with name: RecordName) throws(CloudError) {
        guard count <= cascadedRecords else {
            throw CloudError.exceeded(
                ExceededLimit("cascadedDeletionsMax", Limits.cascadedDeletionsMax),
                "deleting '\(name)' would delete more records that refer to it by DELETE_SELF than a request may: \(Limits.cascadedDeletionsMax); delete some of those first"
            )
        }
        cascadedRecords -= count
    }
}
