/// Appends fields in the Protocol Buffers wire format to memory of its own.
///
/// Every call writes, also a default value: leaving defaults out is the generated code's part.
public struct MessageWriter: ~Copyable {
    // Not an array: its check for uniqueness at each byte took half of the time of an encoding.
    @usableFromInline var memory: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    /// The number of bytes written so far.
    @usableFromInline var count = 0

    /// An empty writer with room for a message of usual size.
    @inlinable
    public init(capacityBytes: Int = 256) {
        memory = .allocate(byteCount: capacityBytes, alignment: 1)
        capacity = capacityBytes
    }

    deinit { memory.deallocate() }

    /// A copy of the written bytes.
    public var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: memory, count: count)) }

    /// Appends a number in groups of seven bits, lowest first, without a tag.
    @inlinable
    mutating func varint(_ value: UInt64) {
        reserve(10)
        var rest = value
        while rest >= 0x80 {
            memory.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            count += 1
            rest >>= 7
        }
        memory.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends eight bytes, lowest first, without a tag.
    @inlinable
    mutating func eightBytes(_ value: UInt64) {
        reserve(8)
        memory.storeBytes(of: value.littleEndian, toByteOffset: count, as: UInt64.self)
        count += 8
    }

    /// Appends a length and the bytes it is of.
    @inlinable
    mutating func lengthDelimited(_ bytes: UnsafeRawBufferPointer) {
        varint(UInt64(bytes.count))
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (memory + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    /// Appends the tag before a field.
    @inlinable
    mutating func tag(_ field: Int, _ type: WireType) {
        varint(UInt64(field) << 3 | UInt64(type.rawValue))
    }

    /// Appends what `content` writes as one field with a length before it.
    ///
    /// Most nested messages are shorter than 128 bytes: one byte is kept free for the length, and only longer contents
    /// are moved.
    @inlinable
    mutating func nested(field: Int, content: (inout MessageWriter) -> Void) {
        tag(field, .lengthDelimited)
        reserve(1)
        count += 1
        let start = count
        content(&self)
        let length = count - start
        if length < 0x80 {
            memory.storeBytes(of: UInt8(length), toByteOffset: start - 1, as: UInt8.self)
        } else {
            widenLength(of: length, at: start - 1)
        }
    }

    @usableFromInline
    mutating func widenLength(of length: Int, at position: Int) {
        let width = (Int.bitWidth - length.leadingZeroBitCount + 6) / 7
        reserve(width)
        (memory + position + width).copyMemory(from: memory + position + 1, byteCount: length)
        count = position
        varint(UInt64(length))
        count += length
    }

    /// Makes room for so many bytes more.
    @inlinable
    mutating func reserve(_ bytes: Int) {
        if capacity - count < bytes { grow(by: bytes) }
    }

    @usableFromInline
    mutating func grow(by bytes: Int) {
        capacity = max(capacity * 2, count + bytes)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        larger.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = larger
    }
}
