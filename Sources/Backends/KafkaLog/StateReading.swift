import EventLog

/// The state and the offset of a partition as they are read from its topic: pure.
struct StateReading {
    /// The values by key, without the log's own keys.
    private(set) var state: [[UInt8]: [UInt8]] = [:]
    /// The offset that was committed last.
    var offset: Int64?
    private let nonce: [UInt8]

    /// - Parameter nonce: part of the entry at which the reading is complete.
    init(nonce: [UInt8]) { self.nonce = nonce }

    /// Takes the next entry; returns true when the reading is complete. Later entries are others'.
    mutating func take(_ entry: LogEntry) -> Bool {
        switch entry.key {
        case ReservedKey.owner: return entry.value == nonce
        case ReservedKey.offset: offset = entry.value.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        case let key?: state[key] = entry.value
        case nil: break
        }
        return false
    }

    /// The offset in the topic: as text, for people with ordinary tools.
    static func encoded(_ offset: Int64) -> [UInt8] { Array(String(offset).utf8) }
}
