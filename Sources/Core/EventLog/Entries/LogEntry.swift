/// An entry as it is read.
package struct LogEntry: Hashable, Sendable {
    /// Its place in the partition.
    package var offset: Int64
    /// The time of the append; on the embedded logs, whose writers share one clock, the writer's time.
    package var timestamp: LogTimestamp
    /// The key; nil when it has none.
    package var key: [UInt8]?
    /// The value; nil removes the key from a compacted topic.
    package var value: [UInt8]?
    /// The headers, in the order they were written.
    package var headers: [LogHeader]

    package init(offset: Int64, timestamp: LogTimestamp, key: [UInt8]?, value: [UInt8]?, headers: [LogHeader]) {
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.headers = headers
    }
}
