/// Reads a stream of server-sent events from bytes that come in any pieces (WHATWG HTML, 9.2.6). A value: feed it.
package struct ServerSentEvents: Sendable {
    /// The `id` to send as `Last-Event-ID` after a reconnection.
    package private(set) var lastEventID = ""
    /// The time that the server wants a client to wait before it connects again, nil when it did not say.
    package private(set) var retry: Duration?

    private var line: [UInt8] = []
    private var endedWithCarriageReturn = false
    private var isFirstLine = true
    private var id = ""
    private var event = ""
    private var data: [UInt8] = []
    private var hasData = false
    private let eventBytesMaximum: Int

    /// Events above the maximum make `feed` throw.
    package init(eventBytesMaximum: Int = 16 << 20) { self.eventBytesMaximum = eventBytesMaximum }

    /// Takes the next bytes and returns the events they complete. Throws `ServerSentEventTooLarge`; the stream is of no
    /// use then.
    package mutating func feed(_ bytes: ArraySlice<UInt8>) throws(ServerSentEventTooLarge) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var rest = bytes
        while let first = rest.first {
            if endedWithCarriageReturn {
                endedWithCarriageReturn = false
                if first == UInt8(ascii: "\n") {
                    rest.removeFirst()
                    continue
                }
            }
            let text = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard line.count + data.count + text.count <= eventBytesMaximum else {
                throw ServerSentEventTooLarge(eventBytesMaximum: eventBytesMaximum)
            }
            rest = rest[text.endIndex...]
            guard let terminator = rest.popFirst() else {
                line += text
                break
            }
            endedWithCarriageReturn = terminator == UInt8(ascii: "\r")
            // A line that came whole is read where it lies.
            if line.isEmpty {
                if let event = end(text) { events.append(event) }
            } else {
                line += text
                if let event = end(line[...]) { events.append(event) }
                line.removeAll(keepingCapacity: line.capacity < 4 << 10)
            }
        }
        return events
    }

    /// Takes a whole line. Returns the event that a blank one completes, if it has data.
    private mutating func end(_ line: ArraySlice<UInt8>) -> ServerSentEvent? {
        var line = line
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard line.isEmpty else {
            readField(line)
            return nil
        }
        defer {
            event = ""
            data = []
            hasData = false
        }
        lastEventID = id
        guard hasData else { return nil }
        return ServerSentEvent(id: id, event: event.isEmpty ? "message" : event, data: data)
    }

    private mutating func readField(_ line: ArraySlice<UInt8>) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": event = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data.append(contentsOf: value)
            hasData = true
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry":
            let isNumber = !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }
            if isNumber, let count = Int(String(decoding: value, as: UTF8.self)) { retry = .milliseconds(count) }
        default: break
        }
    }
}

/// A stream whose event is larger than its reader allows.
package struct ServerSentEventTooLarge: Error, Sendable, Equatable {
    /// The largest event that the reader takes, in bytes.
    package var eventBytesMaximum: Int
}
