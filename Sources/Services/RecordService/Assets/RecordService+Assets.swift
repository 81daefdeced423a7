package import CloudModel
import ProtocolBuffers
import RecordStore
import Synchronization
import Telemetry

extension RecordService {
    /// Whether files can be kept.
    /// - Throws: `BAD_REQUEST` when the service has no folder for them.
    package func assetStorage() throws(CloudError) -> AssetStorage {
        guard let storage = options.assets else { throw .badRequest("this service keeps no assets") }
        return storage
    }

    /// Checks before the body of an upload is read that its address was not used, as far as this process knows.
    /// - Throws: `BAD_REQUEST`.
    package func checkUnused(_ upload: AssetUpload) throws(CloudError) {
        guard !usedUploads.withLock({ $0.holds(upload.nonce) }) else { throw Self.usedUpload }
    }

    private func noteUse(of upload: AssetUpload) {
        let time = now()
        if !upload.nonce.isEmpty { usedUploads.withLock { $0.note(upload.nonce, at: time) } }
    }

    /// Keeps an uploaded file; what is answered is true also after a crash.
    /// - Parameter file: the path of the bytes, on the file system of the folder; nil for no bytes.
    package func keepAsset(_ file: String?, for upload: AssetUpload) async throws -> Asset {
        let storage = try assetStorage()
        // Before the work of it; whoever comes at the same moment meets the same question below.
        if try await store.read({ try $0.hasUpload(upload.nonce) }) {
            noteUse(of: upload)
            throw Self.usedUpload
        }
        let (path, checksum, size) = try await storage.takeIn(file)
        let time = now()
        // The row first: from then on the sweep knows that the file is fresh.
        try await store.write { [options] transaction in
            if !upload.nonce.isEmpty {
                guard try !transaction.hasUpload(upload.nonce) else { throw Self.usedUpload }
                let counted = max(size, Int64(Limits.uploadBytesMin))
                try UsageLedger(transaction, options.quotas).check(
                    UsageCharge(upload.user, .uploadBytes, counted))
                try transaction.addUpload(upload.nonce, of: upload.user, size: counted, at: time)
            }
            try transaction.noteUpload(checksum, size: size, at: time)
        }
        noteUse(of: upload)
        try await storage.keep(path, as: checksum)
        return Asset(
            fileChecksum: checksum, size: size,
            receipt: storage.tokens.receipt(for: upload, of: checksum, size, in: scope, at: time))
    }

    private static let usedUpload = CloudError.badRequest(
        "the address of the upload was used already, and is good once; ask assets/upload for another")

    /// The files of fields of records that the caller may read, each with a receipt for any field of a database.
    package func rereferenceAssets(
        _ fields: [(record: RecordName, field: FieldName)], in database: DatabaseScope, zone: GivenZone = .default,
        for caller: Caller
    ) async throws -> [Result<[Asset], CloudError>] {
        let storage = try assetStorage()
        let user = try caller.signedIn(to: "referring to assets")
        try checkCount(fields.count)
        let time = now()
        var records: [RecordName: RecordResult] = [:]
        let names = Set(fields.map(\.record))
        for result in try await lookUpRecords(Array(names), in: database, zone: zone, for: caller) {
            switch result {
            case .record(let record): records[record.name] = result
            case .failed(let name?, _): records[name] = result
            default: break
            }
        }
        let upload = AssetUpload(user: user, database: database, field: nil)
        return fields.map { name, field in
            switch records[name] {
            case .record(let record)?:
                let assets = record.fields[field]?.assets ?? []
                guard !assets.isEmpty else {
                    return .failure(CloudError(.notFound, "the record '\(name)' has no asset in the field '\(field)'"))
                }
                return .success(
                    assets.map { asset in
                        let receipt = storage.tokens.receipt(
                            for: upload, of: asset.fileChecksum, asset.size, in: scope, at: time)
                        return Asset(fileChecksum: asset.fileChecksum, size: asset.size, receipt: receipt)
                    })
            case .failed(_, let error)?: return .failure(error)
            default: return .failure(CloudError(.notFound, "there is no record '\(name)'"))
            }
        }
    }

    /// Removes files that have had no reference for a while. The file goes within the transaction that forgets it, so that
    /// an upload of the same bytes comes wholly before or after.
    func sweepAssets() async throws {
        guard let storage = options.assets else { return }
        let grace = Int64(Limits.assetGraceSeconds) * 1000
        let before = Timestamp(milliseconds: now().milliseconds - grace)
        while try await store.write({ try $0.removeUploads(before: before, limit: 1000) }) == 1000 {}
        while true {
            let count = try await store.write { transaction in
                let unreferenced = try transaction.unreferencedAssets(before: before, limit: 100)
                for asset in unreferenced {
                    try transaction.removeAsset(asset.checksum)
                    storage.remove(asset.checksum)
                }
                return unreferenced.count
            }
            guard count > 0 else { return }
            Log.info("assets.swept", ["count": count])
        }
    }
}
