import FanfareCloudKit
import Foundation

/// The play of the demonstration, read from `demo.json` beside the data.
struct Scenario: Decodable {
    /// The artist whose works are subscribed to, by record name.
    let artist: String
    /// The years of making that are subscribed to.
    let yearFirst: Int
    let yearLast: Int
    /// The number of artworks, in the order of the file, that are there before anyone subscribes.
    let known: Int
    /// The number of artworks that are imported while the phone listens.
    let imported: Int
    /// The number of artworks that the phone adds itself. The others come last, to both devices.
    let own: Int

    init(_ folder: URL) throws {
        self = try JSONDecoder().decode(
            Scenario.self, from: Data(contentsOf: folder.appendingPathComponent("demo.json")))
    }

    var knownPart: Range<Int> { 0..<known }
    var importedPart: Range<Int> { known..<known + imported }
    var ownPart: Range<Int> { known + imported..<restStart }
    var restStart: Int { known + imported + own }
}

/// A file with a JSON object a line, each of which is a record.
struct Table {
    /// A line: its members are the record's fields.
    typealias Row = [String: Value]

    /// A member's value.
    enum Value: Decodable {
        case number(Int)
        case text(String)
        case texts([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .texts(try container.decode([String].self))
            }
        }
    }

    let rows: [Row]
    private let type: String
    private let name: String
    private let reference: String?

    /// Reads a file.
    /// - Parameters:
    ///   - name: the member that names the record.
    ///   - reference: the member that names a record that the field refers to.
    init(_ file: URL, type: String, name: String, reference: String? = nil) throws {
        let decoder = JSONDecoder()
        rows = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
            try decoder.decode(Row.self, from: $0)
        }
        (self.type, self.name, self.reference) = (type, name, reference)
    }

    /// The texts of a member, by the record's name.
    func texts(_ member: String) -> [String: String] {
        Dictionary(rows.map { (text($0, name), text($0, member)) }) { $1 }
    }

    /// Saves rows, some requests at once.
    func save(_ rows: ArraySlice<Row>, in database: CKDatabase, together: Int = 200, requestsMax: Int = 4) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, start) in stride(from: rows.startIndex, to: rows.endIndex, by: together).enumerated() {
                let records = rows[start..<min(start + together, rows.endIndex)].map { record($0) }
                if number >= requestsMax { try await group.next() }
                group.addTask {
                    let results = try await database.modifyRecords(
                        saving: records, deleting: [], savePolicy: .allKeys, atomically: false
                    ).saveResults
                    for result in results.values { _ = try result.get() }
                }
            }
            try await group.waitForAll()
        }
    }

    private func record(_ row: Row) -> CKRecord {
        let record = CKRecord(recordType: type, recordID: CKRecord.ID(recordName: text(row, name)))
        for (member, value) in row {
            switch value {
            case .number(let number): record[member] = number
            case .text(let text) where member == reference:
                record[member] = CKRecord.Reference(recordID: CKRecord.ID(recordName: text), action: .none)
            case .text(let text): record[member] = text
            case .texts(let texts): record[member] = texts
            }
        }
        return record
    }

    private func text(_ row: Row, _ member: String) -> String {
        if case .text(let text)? = row[member] { text } else { "" }
    }
}
