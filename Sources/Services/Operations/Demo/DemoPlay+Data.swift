import CloudModel
import FanfareCloudKit
import JSON
import Telemetry

extension DemoPlay {
    /// Imports the next artworks of the file, by the code of `fanfare import`.
    func importArtworks(
        _ count: Int = .max, as client: CloudService, pace: RecordImport.Pace = .full
    ) async throws -> Int {
        try await importRecords(
            artworks, limit: count, type: "Artwork", name: "accession", references: ["artist": "Artist"], as: client,
            pace: pace)
    }

    func importRecords(
        _ lines: LineReader, limit: Int = .max, type: String, name: String, references: [String: String] = [:],
        as client: CloudService, pace: RecordImport.Pace = .full
    ) async throws -> Int {
        let mapping = RecordImport.Mapping(
            recordType: RecordType(trusted: type), recordNameKey: name,
            references: references.mapValues { RecordType(trusted: $0) })
        var rest = limit
        let result = try await RecordImport(client: client, database: .public, mapping: mapping, pace: pace).run {
            guard rest > 0 else { return nil }
            rest -= 1
            return try lines.next()
        }
        if let failure = result.failures.first {
            throw ImportError("\(result.failed) records were refused: \(failure)")
        }
        return result.saved
    }

    static func artists(_ folder: String) throws -> [String: String] {
        let lines = try LineReader(path: "\(folder)/artists.jsonl.gz")
        var artists: [String: String] = [:]
        while let line = try lines.next() {
            let artist = try JSONValue(parsing: Array(line))
            if let id = artist["id"]?.string { artists[id] = artist["name"]?.string }
        }
        return artists
    }

    static func percentiles(_ latencies: LogLinearHistogram) -> String {
        func milliseconds(_ share: Double) -> String {
            latencies.percentile(share).map { String(($0 + 500) / 1000) } ?? "–"
        }
        return "half within \(milliseconds(0.5)) ms of the commit, 99 % within \(milliseconds(0.99)) ms"
    }

    static func short(_ token: String?) -> String {
        guard let token, token.count > 16 else { return token ?? "–" }
        return "\(token.prefix(12))… (\(token.count) characters)"
    }
}
