package import CloudModel
import ProtocolBuffers
import RecordStore
import Synchronization
import Telemetry

extension RecordService {
    /// The bytes of assets.
    /// - Throws: `BAD_REQUEST` when the service keeps none.
    package func assetStorage() throws(CloudError) -> AssetStorage {
        guard let storage = assets else { throw .badRequest("this service keeps no assets") }
        return storage
    }

    /// Checks that a zone which assets are to be uploaded for is there, and the caller's to see.
    /// - Throws: `ZONE_NOT_FOUND`.
    package func checkZone(_ zone: GivenZone, in database: DatabaseScope, for caller: Caller) async throws {
        try await store.read { _ = try Self.reach(zone, in: database, for: caller, $0) }
    }

    /// Checks before the body of an upload is read that its address was not used, as far as this process knows.
    /// - Throws: `BAD_REQUEST`.
    package func checkUnused(_ upload: AssetUpload) throws(CloudError) {
        guard !usedUploads.withLock({ $0.holds(upload.nonce) }) else { throw Self.usedUpload }
    }

    private func noteUse(of upload: AssetUpload) {
        let time = now()
        if !upload.nonce.isEmpty { usedUploads.withLock { _ = $0.note(upload.nonce, at: time) } }
    }

    /// Keeps an uploaded asset; the answer is true also after a crash.
    package func keepAsset(_ body: AssetBody, for upload: AssetUpload) async throws -> Asset {
        let storage = try assetStorage()
        // Before the work of the upload; a concurrent request is refused below.
        if try await store.read({ try $0.hasUpload(upload.nonce) }) { throw Self.usedUpload }
        let incoming = try await storage.incoming(body)
        do {
            let contents = try await incoming.finish()
            let time = now()
            let served = try await serviceTime()
            // The row first: from then on the sweep knows that the asset is fresh.
            try await storage.gate.uploading(contents.checksum) {
                try await addUpload(contents, for: upload, at: served)
                do { try await incoming.keep() } catch {
                    // The address is good again, so that the client may repeat the request.
                    try await store.write(in: .user(upload.user)) { try $0.removeUpload(upload.nonce) }
                    throw error
                }
                noteUse(of: upload)
                try await keepRow(contents, at: served)
            }
            return Asset(
                fileChecksum: contents.checksum, size: contents.size,
                receipt: storage.tokens.receipt(for: upload, of: contents.checksum, contents.size, in: scope, at: time))
        } catch {
            await incoming.discard()
            throw error
        }
    }

    /// Commits the row of an asset and the use of the upload's address.
    private func addUpload(_ contents: AssetContents, for upload: AssetUpload, at time: Timestamp) async throws {
        try await store.write(in: .user(upload.user)) { [options] transaction in
            if !upload.nonce.isEmpty {
                guard try !transaction.hasUpload(upload.nonce) else { throw Self.usedUpload }
                let counted = max(contents.size, Int64(Limits.uploadBytesMin))
                try UsageLedger(transaction, options.quotas).check(
                    UsageCharge(upload.user, .uploadBytes, counted))
                try transaction.addUpload(upload.nonce, of: upload.user, size: counted, at: time)
            }
            try transaction.noteUpload(contents.checksum, size: contents.size, at: time)
            try transaction.noteUploader(upload.user, of: contents.checksum, at: time)
        }
    }

    /// Makes sure that a kept asset has a row: a command that removed the user may have taken it (`removeFiles`).
    private func keepRow(_ contents: AssetContents, at time: Timestamp) async throws {
        guard try await store.read({ try $0.asset(contents.checksum) }) == nil else { return }
        try await store.write(in: .whole) { try $0.noteUpload(contents.checksum, size: contents.size, at: time) }
    }

    private static let usedUpload = CloudError.badRequest(
        "the address of the upload was used already, and is good once; ask assets/upload for another")

    /// The files of fields of records that the caller may read, each with a receipt for any field of any database.
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
        var room = Limits.lookupBytesMax
        return fields.map { name, field in
            switch records[name] {
            case .record(let record)?:
                let assets = record.fields[field]?.assets ?? []
                guard !assets.isEmpty else {
                    return .failure(CloudError(.notFound, "the record '\(name)' has no asset in the field '\(field)'"))
                }
                room -= assets.count * Limits.assetAnswerBytes
                guard room >= 0 else { return .failure(Self.tooManyBytes) }
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

    /// Removes assets that have been unreferenced for a while: first the bytes, then the row. A crash between them
    /// leaves a row, which the next sweep removes.
    func sweepAssets() async throws {
        guard let storage = assets else { return }
        let grace = Int64(Limits.assetGraceSeconds) * 1000
        let before = Timestamp(milliseconds: try await serviceTime().milliseconds - grace)
        while try await store.write(in: .whole, { try $0.removeUploads(before: before, limit: 1000) }) == 1000 {}
        while true {
            let found = try await store.read { try $0.unreferencedAssets(before: before, limit: 100) }
            let count = try await storage.gate.removing(found.map(\.checksum)) { free in
                try await remove(free, of: storage, unreferencedSince: before)
            }
            guard count > 0 else { return }
            Log.info("assets.swept", ["count": count])
        }
    }

    /// Removes assets, but those that were uploaded since they were found; returns how many.
    private func remove(
        _ checksums: [String], of storage: AssetStorage, unreferencedSince before: Timestamp
    ) async throws -> Int {
        let removed = try await store.read { reader in
            try reader.assets(checksums).values.filter { $0.references == 0 && $0.since < before }.map(\.checksum)
        }
        guard !removed.isEmpty else { return 0 }
        for checksum in removed { try await storage.store.remove(checksum) }
        try await store.write(in: .whole) { transaction in
            for checksum in removed { try transaction.removeAsset(checksum) }
        }
        return removed.count
    }
}
