/// A failure of the log; the case carries what to do about it.
package enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The topic or partition does not exist: make it first (`fanfare topics init`).
    case unknownTopic(String)
    /// The offset is not retained any more, or lies beyond the end.
    case offsetOutOfRange(TopicPartition, requested: Int64, bounds: OffsetBounds)
    /// Another process has taken this partition over: stop working on it.
    case fenced(String)
    /// The entry can never be appended: nothing of its batch was.
    case entryTooLarge(TopicPartition, bytes: Int, maximum: Int)
    /// The writer is dead; make a new one and start again from the committed position.
    case writeFailed(String)
    /// The log cannot be reached at present; the same call may succeed later.
    case unavailable(String)
    /// The log, writer, follower or membership was closed.
    case closed
    /// Something is wrong that trying again does not mend.
    case broken(String)

    package var description: String {
        switch self {
        case .unknownTopic(let name): "the topic \(name) does not exist; `fanfare topics init` makes the fixed ones"
        case .offsetOutOfRange(let partition, let requested, let bounds):
            "\(partition) holds offsets \(bounds.start) to \(bounds.end), not \(requested)"
        case .fenced(let what): "another process has taken over: \(what)"
        case .entryTooLarge(let partition, let bytes, let maximum):
            "an entry of \(bytes) bytes is too large for \(partition), which takes \(maximum)"
        case .writeFailed(let reason): "writing to the log failed: \(reason)"
        case .unavailable(let reason): "the log cannot be reached: \(reason)"
        case .closed: "closed"
        case .broken(let reason): "the log is broken: \(reason)"
        }
    }
}
