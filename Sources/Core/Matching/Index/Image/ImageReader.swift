/// Reads what an `ImageWriter` wrote, in the same order.
struct ImageReader {
    private let pieces: [[UInt8]]
    private var piece = 0
    private var offset = 0
    /// Bytes that are still to come: no length may be larger.
    private var left: Int

    init(pieces: [[UInt8]]) {
        self.pieces = pieces
        left = pieces.reduce(0) { $0 + $1.count }
    }

    mutating func read<Value: BitwiseCopyable>(_ type: Value.Type = Value.self) throws -> Value {
        try withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
            try read(into: UnsafeMutableRawBufferPointer(buffer))
            return buffer[0]
        }
    }

    /// Reads the length of a row, which is in the image whole.
    mutating func count<Element: BitwiseCopyable>(of type: Element.Type) throws -> Int {
        let count = try read(Int.self)
        guard count >= 0, count <= left / MemoryLayout<Element>.stride else { throw ImageFailure() }
        return count
    }

    /// Reads a row that was written behind its length.
    mutating func row<Element: BitwiseCopyable>(of type: Element.Type = Element.self) throws -> [Element] {
        let count = try count(of: type)
        return try [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
            try read(into: UnsafeMutableRawBufferPointer(buffer))
            initialized = count
        }
    }

    /// Reads rows under numbers.
    mutating func rows() throws -> [UInt32: [UInt32]] {
        var rows: [UInt32: [UInt32]] = [:]
        for _ in 0..<(try count(of: UInt32.self)) { rows[try read()] = try row() }
        return rows
    }

    /// Reads bytes until a place is full.
    mutating func read(into target: UnsafeMutableRawBufferPointer) throws {
        guard target.count <= left else { throw ImageFailure() }
        left -= target.count
        var done = 0
        while done < target.count {
            if offset == pieces[piece].count {
                (piece, offset) = (piece + 1, 0)
                continue
            }
            let count = min(target.count - done, pieces[piece].count - offset)
            pieces[piece].withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: target[done..<done + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
            done += count
            offset += count
        }
    }
}
