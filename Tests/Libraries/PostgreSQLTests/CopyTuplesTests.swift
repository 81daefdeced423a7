import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Binary copies") struct CopyTuplesTests {
    /// A copy as documented: a signature, no flags, no extension, two rows, the end.
    static let bytes: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        + [0, 2, 0, 0, 0, 2, 0x12, 0x34, 0xff, 0xff, 0xff, 0xff] + [0, 1, 0, 0, 0, 0] + [0xff, 0xff]

    /// The rows of a copy that comes in these chunks, and whether its end came.
    static func read(_ chunks: [[UInt8]], maximum: Int = 1000) throws -> (rows: [[[UInt8]?]], isComplete: Bool) {
        var tuples = CopyTuples(rowBytesMaximum: maximum)
        var rows: [[[UInt8]?]] = []
        for chunk in chunks {
            try chunk.withUnsafeBytes { try tuples.append($0) }
            while let row = try tuples.next() {
                rows.append(
                    try (0..<row.columnCount).map { try row.withColumn($0) { bytes, _ in bytes.map { [UInt8]($0) } } })
            }
        }
        return (rows, tuples.isComplete)
    }

    @Test("rows are the same wherever the chunks are cut")
    func chunks() throws {
        for first in 0...Self.bytes.count {
            for second in first...Self.bytes.count {
                let chunks = [Self.bytes[..<first], Self.bytes[first..<second], Self.bytes[second...]].map { Array($0) }
                let (rows, isComplete) = try Self.read(chunks)
                #expect(isComplete && rows == [[[0x12, 0x34], nil], [[]]])
            }
        }
    }

    @Test("an end that is missing is noticed, after any byte")
    func cut() throws {
        for count in 0..<Self.bytes.count {
            #expect(try !Self.read([Array(Self.bytes.prefix(count))]).isComplete)
        }
    }

    @Test("other forms, lengths below zero, large rows and bytes behind the end are refused")
    func refused() {
        let changes: [(Int, [UInt8])] = [
            (0, [0x51]), (8, [0]), (11, [0, 1, 0, 0]), (15, [0x7f, 0xff, 0xff, 0xff]), (19, [0xff, 0xfe]),
            (21, [0xff, 0xff, 0xff, 0xfe]), (21, [0x7f, 0xff, 0xff, 0xff]), (37, [0xff, 0xff, 0]),
        ]
        for (place, change) in changes {
            var bytes = Self.bytes
            bytes.replaceSubrange(place..<min(bytes.count, place + change.count), with: change)
            #expect(throws: UnexpectedValue.self, "\(place)") { try Self.read([bytes]) }
        }
        let row: [UInt8] =
            [0, 20] + [[UInt8]](repeating: [0, 0, 0, 50] + [UInt8](repeating: 1, count: 50), count: 20).flatMap { $0 }
        let header = Self.bytes.prefix(19)
        #expect(throws: UnexpectedValue.self) { try Self.read([Array(header + row.dropLast())]) }
        #expect(throws: UnexpectedValue.self) { try Self.read([Self.bytes, [0]]) }
    }

    @Test("a row of a copy has the types that it is read as")
    func values() throws {
        let row = PostgreSQLCopyRow(bytes: [0, 0, 0, 5, 1, 97], columns: [0..<4, 4..<5, 5..<6, nil, 0..<3])
        #expect(try row.integer(0) == 5 && row.bool(1) && row.text(2) == "a" && row.bytes(2) == [97])
        #expect(try row.optionalBytes(3) == nil && row.isNull(3))
        #expect(try failure { _ = try row.integer(4) }.kind == .unexpectedValue)
        #expect(try failure { _ = try row.integer(5) }.kind == .unexpectedValue)
    }
}
