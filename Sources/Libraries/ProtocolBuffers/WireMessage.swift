/// A Protocol Buffers message as a Swift value; `scripts/generate-messages` writes the conforming structs.
///
/// `==` compares strings as Swift does, by canonical equivalence: compare `encoded()` where bytes matter.
public protocol WireMessage: Sendable, Equatable {
    /// The message in which every field has its default.
    init()

    /// Appends the fields in the order of their numbers, leaving out those that have their default.
    func encode(into writer: inout MessageWriter)

    /// Reads fields up to the end of the reader's message and merges them: single values replace, repeated ones append,
    /// messages merge. After an error the value is part old, part new.
    mutating func decode(from reader: inout MessageReader) throws(MessageError)
}

extension WireMessage {
    /// The message as bytes; equal messages of one schema give equal bytes.
    ///
    /// A message that is nested deeper than `MessageReader.depthMax` is written and will be refused by readers, so the
    /// builders of recursive messages bound their depth.
    public func encoded() -> [UInt8] {
        var writer = MessageWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// Reads a whole message. Unknown fields are skipped, and lost: a relay forwards the bytes it got.
    public init(decoding bytes: [UInt8], maximumBytes: Int = MessageReader.bytesMax) throws(MessageError) {
        self = try bytes.span.withUnsafeBytes { buffer throws(MessageError) in
            try Self(decoding: buffer, maximumBytes: maximumBytes)
        }
    }

    /// Reads a whole message from memory that stays unchanged during the call and is not kept.
    public init(
        decoding bytes: UnsafeRawBufferPointer, maximumBytes: Int = MessageReader.bytesMax
    ) throws(MessageError) {
        self.init()
        do throws(MessageError) {
            var reader = try MessageReader(bytes, maximumBytes: maximumBytes)
            try decode(from: &reader)
        } catch {
            throw error.inside(message: "\(Self.self)")
        }
    }
}
