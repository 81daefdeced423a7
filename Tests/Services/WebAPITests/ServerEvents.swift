import HTTPClient
import JSON
import TestSupport
import Testing

/// One server-sent event.
struct ServerEvent {
    var name = ""
    var id: String?
    var json = JSONValue.null
}

/// Reads server-sent events from a stream, as a browser does.
struct EventReader {
    private var iterator: HTTPClientStream.Iterator
    private var buffer: [UInt8] = []
    /// Up to here there is no end of a block.
    private var searched = 0

    init(_ stream: HTTPClientStream) { iterator = stream.makeAsyncIterator() }

    /// The next event, comments left out; nil at the end.
    mutating func next() async throws -> ServerEvent? {
        while let block = try await block() {
            let event = Self.event(block)
            guard !event.name.isEmpty else { continue }
            expectAgreement(event.json, withSchema: event.name == "error" ? "Error" : "Notification")
            return event
        }
        return nil
    }

    /// Reads on to the first comment, which is sent at once.
    mutating func untilFirstComment() async throws {
        while let block = try await block(), !block.hasPrefix(":") {}
    }

    /// The lines up to the next empty one.
    private mutating func block() async throws -> String? {
        while true {
            let end = buffer[searched...].indices.dropLast().first { buffer[$0] == 0x0a && buffer[$0 + 1] == 0x0a }
            searched = max(0, buffer.count - 1)
            if let end {
                searched = 0
                let block = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 2)
                return block
            }
            guard let bytes = try await iterator.next() else { return nil }
            buffer += bytes
        }
    }

    private static func event(_ block: String) -> ServerEvent {
        var event = ServerEvent()
        for line in block.split(separator: "\n") where !line.hasPrefix(":") {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "event": event.name = value
            case "id": event.id = value
            case "data": event.json = (try? JSONValue(parsing: Array(value.utf8))) ?? .null
            default: break
            }
        }
        return event
    }
}
