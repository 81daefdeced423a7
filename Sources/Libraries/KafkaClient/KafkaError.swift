/// An error of Kafka or librdkafka, with flags that say what it means for the caller.
///
/// Decide by the flags, not by the code: librdkafka has over two hundred codes, and newer versions add more.
package struct KafkaError: Error, Sendable, Equatable {
    /// librdkafka's number of the error: below zero its own, above zero the broker's protocol code.
    package let code: Int32
    /// librdkafka's stable name of the error, such as `_MSG_TIMED_OUT` or `TOPIC_ALREADY_EXISTS`.
    package let name: String
    /// A text for operators: the attempt, the cause and the remedy.
    package let message: String
    /// The client that reported it is of no further use: destroy it and make a new one.
    package let isFatal: Bool
    /// The same call may succeed when it is made again.
    package let isRetriable: Bool
    /// The open transaction has to be aborted; the producer may go on after that.
    package let requiresAbort: Bool

    /// An error with all its parts given, for callers that have to report one of their own in the same form.
    package init(
        code: Int32, name: String, message: String, isFatal: Bool = false, isRetriable: Bool = false,
        requiresAbort: Bool = false
    ) {
        self.code = code
        self.name = name
        self.message = message
        self.isFatal = isFatal
        self.isRetriable = isRetriable
        self.requiresAbort = requiresAbort
    }
}

extension KafkaError: CustomStringConvertible {
    /// The message, then the name and the flags that are set, for logs.
    package var description: String {
        let flags = [(isFatal, "fatal"), (isRetriable, "retriable"), (requiresAbort, "abort")].filter(\.0).map(\.1)
        return "\(message) (\(([name] + flags).joined(separator: ", ")))"
    }
}
