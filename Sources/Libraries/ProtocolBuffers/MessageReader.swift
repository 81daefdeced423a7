/// Reads the fields of a message in the Protocol Buffers wire format from memory that it does not own.
///
/// The maker of a reader keeps the memory alive and unchanged for as long as the reader is used. Nothing it is given
/// makes it trap or read outside: lengths are held against the message around them, depth against `depthMax`. After an
/// error it is of no further use.
public struct MessageReader {
    /// The nesting of messages, the outermost counted. An entry of a map counts too, and a group.
    public static let depthMax = 32
    /// The size that is refused unless the caller allows another, in bytes.
    public static let bytesMax = 4 << 20

    /// The number of the field whose tag was read last; 0 before the first.
    @usableFromInline var number = 0
    @usableFromInline var type = WireType.varint
    @usableFromInline let start: UnsafeRawPointer
    @usableFromInline var offset = 0
    /// The end of the message that is being read.
    @usableFromInline var end: Int
    /// The number of messages that may still be nested.
    @usableFromInline var depthLeft = depthMax - 1

    /// A reader at the start of a message.
    public init(_ bytes: UnsafeRawBufferPointer, maximumBytes: Int = bytesMax) throws(MessageError) {
        // An empty buffer may have no address; nothing is read from this one.
        start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        end = bytes.count
        guard bytes.count <= maximumBytes else {
            throw error(.tooLarge(bytes: bytes.count, maximum: maximumBytes))
        }
    }

    /// Goes to the next field of the message and gives its number; nil at the message's end.
    @inlinable
    public mutating func nextField() throws(MessageError) -> Int? {
        guard offset < end else { return nil }
        number = 0
        let tag = try varint()
        guard tag >= 8, tag <= UInt64(UInt32.max), let type = WireType(rawValue: UInt8(truncatingIfNeeded: tag & 7))
        else { throw error(.invalidTag(tag)) }
        number = Int(tag >> 3)
        self.type = type
        return number
    }

    /// Refuses the field unless it has that form.
    @inlinable
    mutating func require(_ expected: WireType) throws(MessageError) {
        guard type == expected else { throw error(.unexpectedWireType(type, expected: expected)) }
    }

    /// Reads a number in groups of seven bits.
    @inlinable
    mutating func varint() throws(MessageError) -> UInt64 {
        if offset < end {
            let byte = start.load(fromByteOffset: offset, as: UInt8.self)
            if byte < 0x80 {
                offset += 1
                return UInt64(byte)
            }
        }
        return try longVarint()
    }

    @usableFromInline
    mutating func longVarint() throws(MessageError) -> UInt64 {
        var value: UInt64 = 0
        var position = offset
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard position < end else { throw truncated(needing: position - offset + 1) }
            let byte = start.load(fromByteOffset: position, as: UInt8.self)
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                guard shift < 63 || byte <= 1 else { throw error(.varintTooLong) }
                offset = position
                return value
            }
        }
        throw error(.varintTooLong)
    }

    @inlinable
    mutating func eightBytes() throws(MessageError) -> UInt64 {
        guard end - offset >= 8 else { throw truncated(needing: 8) }
        defer { offset += 8 }
        return UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Reads a length, which is that of bytes that are there.
    @inlinable
    mutating func length() throws(MessageError) -> Int {
        try require(.lengthDelimited)
        let length = try varint()
        guard length <= UInt64(end - offset) else { throw truncated(needing: Int(clamping: length)) }
        return Int(length)
    }

    /// The error at the byte that is to be read next, in the field that was begun last.
    @usableFromInline
    func error(_ reason: MessageError.Reason) -> MessageError {
        MessageError(reason, byteOffset: offset, path: number == 0 ? [] : [number])
    }

    @usableFromInline
    func truncated(needing bytes: Int) -> MessageError {
        error(.truncated(bytesNeeded: bytes, bytesLeft: end - offset))
    }
}
