package import CloudModel

/// An entry as it is read.
package struct LogEntry: Hashable, Sendable {
    package var offset: Int64
    package var timestamp: Timestamp
    package var key: [UInt8]?
    package var value: [UInt8]?
    package var headers: [LogHeader]

    package init(offset: Int64, timestamp: Timestamp, key: [UInt8]?, value: [UInt8]?, headers: [LogHeader]) {
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.headers = headers
    }
}
