import RecordStore

/// A record's index rows as its own row keeps them, so that the store alone can remove them.
///
/// Entries one after the other: the index's number, a byte for the kind of key, the key; at the end the words, joined
/// by spaces. Numbers are 8 bytes, little-endian; texts have their length before them.
enum StoredIndex {
    private enum Kind: UInt8 { case integer = 1, real, text, words }

    static func encoded(_ index: RecordIndex) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(index.entries.count * 24)
        for entry in index.entries {
            switch entry.key {
            case .integer(let number):
                begin(.integer, entry.index.rawValue, &bytes)
                append(UInt64(bitPattern: number), &bytes)
            case .real(let number):
                begin(.real, entry.index.rawValue, &bytes)
                append(number.bitPattern, &bytes)
            case .text(let text):
                begin(.text, entry.index.rawValue, &bytes)
                append(UInt64(text.utf8.count), &bytes)
                bytes.append(contentsOf: text.utf8)
            }
        }
        if !index.words.isEmpty {
            begin(.words, 0, &bytes)
            bytes.append(contentsOf: index.words.joined(separator: " ").utf8)
        }
        return bytes
    }

    /// A row of an index as it was written.
    struct Row: Hashable {
        var index: Int64
        var key: IndexKey
    }

    static func decoded(_ bytes: [UInt8]) -> (rows: [Row], words: String) {
        var rows: [Row] = []
        var position = 0
        func number() -> UInt64 {
            defer { position += 8 }
            return (0..<8).reduce(0) { $0 | UInt64(bytes[position + $1]) << (8 * UInt64($1)) }
        }
        while position < bytes.count {
            let kind = Kind(rawValue: bytes[position])
            position += 1
            let index = Int64(bitPattern: number())
            switch kind {
            case .integer: rows.append(Row(index: index, key: .integer(Int64(bitPattern: number()))))
            case .real: rows.append(Row(index: index, key: .real(Double(bitPattern: number()))))
            case .text:
                let count = Int(number())
                rows.append(
                    Row(index: index, key: .text(String(decoding: bytes[position..<position + count], as: UTF8.self))))
                position += count
            case .words, nil: return (rows, String(decoding: bytes[position...], as: UTF8.self))
            }
        }
        return (rows, "")
    }

    private static func begin(_ kind: Kind, _ index: Int64, _ bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        append(UInt64(bitPattern: index), &bytes)
    }

    private static func append(_ number: UInt64, _ bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
