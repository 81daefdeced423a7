import CloudModel
import Foundation
import Synchronization

/// The place of a file in a record.
struct UploadKey: Hashable, Sendable {
    var record: CKRecord.ID
    var field: String
}

/// Uploads the files of records that are about to be saved.
struct AssetUpload: Sendable {
    let database: CKDatabase
    let progressed: @Sendable (CKRecord, Double) -> Void

    /// Uploads files that are not on the service yet.
    /// - Returns: the fields with files, as they are sent.
    func run(
        _ items: [RecordModification.Item], _ policy: CKModifyRecordsOperation.RecordSavePolicy
    ) async throws -> [UploadKey: FieldContent] {
        var uploaded: [UploadKey: FieldContent] = [:]
        for case .save(let record) in items {
            let fields = record.parts(by: policy).fields.compactMapValues { $0 }.filter { !$0.value.assets.isEmpty }
            let count = fields.values.reduce(0) { $0 + $1.assets.count }
            var done = 0
            for (key, content) in fields.sorted(by: { $0.key < $1.key }) {
                var nouns: [FieldContent] = []
                for asset in content.assets {
                    nouns.append(.asset(try await upload(asset, record, key)))
                    done += 1
                    // The save itself is the last step.
                    progressed(record, Double(done) / Double(count + 1))
                }
                let isList = if case .list = content { true } else { false }
                uploaded[UploadKey(record: record.recordID, field: key)] = isList ? .list(nouns) : nouns[0]
            }
        }
        return uploaded
    }

    /// The file of another field, which the service has, with a receipt for any field; nil if it is not there any more.
    private func rereference(_ asset: CKAsset, _ noun: Asset) async throws -> CKAsset? {
        guard let source = asset.source else { return nil }
        let found = try await database.session.call { try await $0.service.rereference(source) }
        return found.first { $0.fileChecksum == noun.fileChecksum }.map {
            CKAsset(fileURL: asset.fileURL, uploaded: $0)
        }
    }

    private func upload(_ asset: CKAsset, _ record: CKRecord, _ key: String) async throws -> CKAsset {
        if let noun = asset.uploaded {
            // A file that is in the field already needs nothing.
            let there = record.state.withLock { $0.base[key]?.assets ?? [] }
            guard !there.contains(where: { $0.uploaded?.fileChecksum == noun.fileChecksum }) else { return asset }
            if let again = try await rereference(asset, noun) { return again }
        }
        guard let url = asset.fileURL, let data = try? Data(contentsOf: url) else {
            throw CKError(.assetFileNotFound, "'\(key)' of \(record.recordID.recordName): no file \(asset)")
        }
        let bytes = Array(data)
        let (name, type) = (record.recordID.recordName, record.recordType)
        // An address takes one upload: another attempt needs another address.
        let noun = try await database.session.call { [database] signedIn in
            let urls = try await signedIn.service.uploads(
                [(record: name, type: type, field: key)], in: database.scope)
            return try await signedIn.service.upload(bytes, to: urls[0])
        }
        return CKAsset(fileURL: url, uploaded: noun)
    }
}
