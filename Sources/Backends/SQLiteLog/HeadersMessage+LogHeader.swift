import EventLog
import ProtocolBuffers

extension HeadersMessage {
    /// The headers as they are stored; nothing for none.
    static func encoded(_ headers: [LogHeader]) -> [UInt8] {
        guard !headers.isEmpty else { return [] }
        return HeadersMessage(headers: headers.map { HeaderMessage(name: $0.name, value: $0.value) }).encoded()
    }

    /// Reads stored headers.
    static func headers(decoding bytes: [UInt8]) throws -> [LogHeader] {
        guard !bytes.isEmpty else { return [] }
        return try HeadersMessage(decoding: bytes).headers.map { LogHeader(name: $0.name, value: $0.value) }
    }
}
