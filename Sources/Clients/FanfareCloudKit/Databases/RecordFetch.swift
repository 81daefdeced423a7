import CloudModel
import Foundation

/// Fetches records by name or query, with their files.
struct RecordFetch: Sendable {
    let database: CKDatabase
    /// The fields that are wanted; nil is all.
    var desiredKeys: [String]?
    var progressed: @Sendable (CKRecord.ID, Double) -> Void = { _, _ in }

    /// Fetches records by name; each result is reported as it comes.
    /// - Throws: `CKError` if no request was answered; results that were reported before stay valid.
    func records(
        _ ids: [CKRecord.ID], fetched: @Sendable (CKRecord.ID, Result<CKRecord, any Error>) async -> Void
    ) async throws {
        var asked: [CKRecord.ID] = []
        for id in ids {
            do throws(CKError) {
                _ = try RecordName.checked(id.recordName)
                asked.append(id)
            } catch {
                await fetched(id, .failure(error))
            }
        }
        try await Zoned(asked, limit: Limits.operationsMax, by: \.zoneID).each { zone, ids in
            let names = ids.map { RecordName(trusted: $0.recordName) }
            let (items, reader) = try await database.session.call { [database, desiredKeys] signedIn in
                (
                    try await signedIn.service.lookUpItems(
                        names, in: database.scope, zone: try database.given(zone, signedIn), desiredKeys: desiredKeys),
                    database.reader(signedIn)
                )
            }
            for (id, item) in zip(ids, items) { await fetched(id, await record(item, id, reader)) }
        } failed: { id, error in
            await fetched(id, .failure(error))
        }
    }

    /// The record of an item, with its files.
    func record(_ item: RecordItem, _ id: CKRecord.ID?, _ reader: RecordReader) async -> Result<CKRecord, any Error> {
        do {
            let noun = try item.record()
            let id = id ?? CKRecord.ID(noun.name, in: reader.zoneID(noun.zone))
            try await download(item.files, of: id, reader)
            return .success(CKRecord.received(noun, from: reader))
        } catch {
            return .failure(CKError(error))
        }
    }

    /// A page of a query's records, its next page, and of the first page the state that it shows.
    func page(
        of query: CKQueryOperation.Cursor, limit: Int
    ) async throws -> (
        results: [(CKRecord.ID, Result<CKRecord, any Error>)], cursor: CKQueryOperation.Cursor?,
        state: CKServerChangeToken?
    ) {
        let (page, reader) = try await database.session.call { [database, desiredKeys] signedIn in
            (
                try await signedIn.service.queryItems(
                    query.query, in: database.scope, zone: try query.zone.map { try database.given($0, signedIn) },
                    desiredKeys: desiredKeys, limit: limit,
                    marker: query.marker), database.reader(signedIn)
            )
        }
        var results: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
        for item in page.items {
            let id = try item.id(in: query.zone, reader)
            results.append((id, await record(item, id, reader)))
        }
        let cursor = page.marker.map { CKQueryOperation.Cursor(query: query.query, zone: query.zone, marker: $0) }
        return (results, cursor, page.token.map { CKServerChangeToken($0) })
    }

    /// Downloads the files of a record that are not here yet.
    private func download(_ files: [RecordItem.File], of id: CKRecord.ID, _ reader: RecordReader) async throws {
        for (number, file) in files.enumerated() {
            let place = AssetFile(file.asset, in: reader.files).url
            guard !FileManager.default.fileExists(atPath: place.path) else { continue }
            let progressed = progressed
            try await database.session.call { signedIn in
                try await signedIn.service.download(file, to: place) { part in
                    progressed(id, (Double(number) + part) / Double(files.count))
                }
            }
        }
        progressed(id, 1)
    }
}
