import Foundation
import TextForms

/// A version of a message as `scripts/recorded-messages` keeps it: its fields and those of its parts, and bytes of it.
struct RecordedVersion: Sendable {
    struct Field: Sendable {
        let wireType: UInt64
        let repeats: Bool
        /// The message that the field holds.
        let part: String?
    }

    /// A field of a message or of one of its parts.
    struct Place: Hashable, CustomStringConvertible {
        let message: String
        let number: UInt64
        var description: String { "\(message).\(number)" }
    }

    /// A known field that has another type, or bytes that are no message.
    struct Misread: Error, CustomStringConvertible {
        let description: String
    }

    let message: String
    /// The fields by message and number.
    let fields: [String: [UInt64: Field]]
    var bytes: [[UInt8]] = []

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Recorded")

    /// The names of all messages of which bytes are recorded.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).map { String($0.prefix { $0 != "." }) }
            .sorted()
    }

    /// The versions of a message, from the oldest.
    static func all(of message: String) throws -> [RecordedVersion] {
        let text = try String(contentsOf: folder.appendingPathComponent("\(message).txt"), encoding: .utf8)
        var versions: [RecordedVersion] = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            if parts[0] == "schema" {
                versions.append(RecordedVersion(message, String(parts[1])))
            } else {
                versions[versions.count - 1].bytes.append(Hexadecimal.decode(String(parts[1]))!)
            }
        }
        return versions
    }

    private init(_ message: String, _ schema: String) {
        self.message = message
        var fields: [String: [UInt64: Field]] = [:]
        for part in schema.split(separator: ";") {
            let words = part.split(separator: " ")
            fields[String(words[0])] = Dictionary(
                uniqueKeysWithValues: words.dropFirst().map { word in
                    let pieces = word.split(separator: ":")
                    return (
                        UInt64(pieces[0])!,
                        Field(
                            wireType: UInt64(pieces[1].prefix(1))!, repeats: pieces[1].hasSuffix("*"),
                            part: pieces.count > 2 ? String(pieces[2]) : nil)
                    )
                })
        }
        self.fields = fields
    }
}

// MARK: Reading by the version's rules

extension RecordedVersion {
    /// The known fields that a reader of this version finds; unknown ones are skipped.
    func found(in bytes: [UInt8]) throws -> Set<Place> {
        var places: Set<Place> = []
        try read(bytes[...], as: message, into: &places)
        return places
    }

    private func read(_ bytes: ArraySlice<UInt8>, as name: String, into places: inout Set<Place>) throws {
        var rest = bytes
        while !rest.isEmpty {
            let tag = try Self.varint(&rest)
            let content = try Self.content(tag & 7, &rest)
            guard let field = fields[name]?[tag >> 3] else { continue }
            let place = Place(message: name, number: tag >> 3)
            let isPacked = field.repeats && field.wireType != 2 && tag & 7 == 2
            guard isPacked || tag & 7 == field.wireType else {
                throw Misread(description: "\(place) has the wire type \(tag & 7) instead of \(field.wireType)")
            }
            places.insert(place)
            if let part = field.part { try read(content, as: part, into: &places) }
        }
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { break }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw Misread(description: "a number has no end")
    }

    private static func content(_ wireType: UInt64, _ bytes: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        let count: Int
        switch wireType {
        case 0:
            _ = try varint(&bytes)
            return []
        case 1: count = 8
        case 2: count = Int(try varint(&bytes))
        default: throw Misread(description: "there is no wire type \(wireType)")
        }
        guard count <= bytes.count else { throw Misread(description: "a field is cut off") }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
