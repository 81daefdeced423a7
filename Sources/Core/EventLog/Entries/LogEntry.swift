/// An entry as it is read.
package struct LogEntry: Hashable, Sendable {
    /// Its place in the partition.
    package var offset: Int64
    /// The time by which the log keeps the entry: that of the append; on the embedded logs, whose writers share one
    /// clock, the time of the event, which a clock that leaps does not change.
    package var timestamp: LogTimestamp
    /// The time of the append, for people and audits; no stage decides by it. The same as `timestamp` on Kafka and `MemoryLog`, and
    /// for entries of older files.
    package var appended: LogTimestamp
    /// The key; nil when it has none.
    package var key: [UInt8]?
    /// The value; nil removes the key from a compacted topic.
    package var value: [UInt8]?
    /// The headers, in the order they were written.
    package var headers: [LogHeader]

    /// - Parameter appended: nil where the log has no other time than `timestamp`.
    package init(
        offset: Int64, timestamp: LogTimestamp, appended: LogTimestamp? = nil, key: [UInt8]?, value: [UInt8]?,
        headers: [LogHeader]
    ) {
        self.offset = offset
        self.timestamp = timestamp
        self.appended = appended ?? timestamp
        self.key = key
        self.value = value
        self.headers = headers
    }
}
