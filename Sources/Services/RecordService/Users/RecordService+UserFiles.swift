import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore
import Timing

/// The files of a user who is removed, and the publishing of the removal.
extension RecordService {
    /// Checksums of the files of a record.
    func files(of record: RecordID) async throws -> Set<String> {
        try await store.read { reader in Self.checksums(try reader.record(record).map { try $0.record() }) }
    }

    /// Checksums of the files of all records in a private zone, read a page at a time.
    func files(in zone: ZoneID) async throws -> Set<String> {
        var found: Set<String> = []
        var last = ""
        while true {
            let (names, checksums) = try await store.read { [last] reader in
                let names = try reader.recordNames(
                    in: zone, of: .private, after: last, limit: Self.droppedRecordsStep)
                var checksums: Set<String> = []
                try reader.records(names.map { RecordID(database: .private, zone: zone, name: $0) }) {
                    checksums.formUnion(Self.checksums(try $0.record()))
                }
                return (names, checksums)
            }
            found.formUnion(checksums)
            guard let next = names.last else { return found }
            last = next.rawValue
        }
    }

    private static func checksums(_ record: Record?) -> Set<String> {
        Set(record?.fields.entries.flatMap { $0.value.assets.map(\.fileChecksum) } ?? [])
    }

    /// Removes files that no record refers to, without the grace that others have, unless another user has just
    /// uploaded the same bytes. Bytes and row go in one transaction: another process's upload of them comes before or
    /// after. A crash leaves a row without bytes, which the next sweep removes.
    ///
    /// Files of another machine cannot go in a transaction. Their rows become due instead, and the next sweep, of the
    /// process that takes uploads, removes the bytes first.
    /// - Returns: how many were removed, or made due.
    func removeFiles(_ checksums: Set<String>, of user: UserRecordName) async throws -> Int {
        guard let storage = assets else { return 0 }
        // A closure that may run again removes no bytes.
        let local = store.capabilities.isShared ? nil : storage.store.localFiles
        var count = 0
        for part in checksums.sorted().parts(of: Self.droppedRecordsStep) {
            count += try await storage.gate.removing(Array(part)) { free in
                try await store.write(in: .whole) { transaction in
                    var count = 0
                    for checksum in free {
                        guard let asset = try transaction.asset(checksum), asset.references == 0,
                            try !transaction.isUploaded(checksum, byOthersThan: user)
                        else { continue }
                        try local?.removeAtOnce(checksum)
                        try transaction.removeAsset(checksum)
                        if local == nil {
                            try transaction.noteUpload(checksum, size: asset.size, at: Timestamp(milliseconds: 0))
                        }
                        count += 1
                    }
                    return count
                }
            }
        }
        return count
    }

    /// Waits until no row that was written before the call waits for the log, and removes those that are kept: the rows
    /// hold records before and after their changes.
    /// - Returns: false if some still wait after the time.
    package func untilPublished(atMost time: Duration) async throws -> Bool {
        let end = Time.now + time
        // Above all that were answered before; no row has it.
        let last = try await store.write(in: .whole) { try $0.nextSequence() }
        while true {
            let (waiting, settled) = try await store.read { reader in
                let published = try PublishedRows.last(reader)
                return (
                    try reader.outbox(after: published, limit: 1, bytesMax: 1).first?.sequence,
                    try reader.settledSequence()
                )
            }
            if settled >= last, waiting.map({ $0 > last }) ?? true {
                try await removeKeptRows(through: last)
                return true
            }
            guard Time.now < end else { return false }
            try await Time.sleep(for: .milliseconds(50))
        }
    }

    /// Removes published rows up to a sequence, each transaction as many as others may wait for.
    private func removeKeptRows(through last: CommitSequence) async throws {
        while true {
            let (rows, before) = try await store.read { reader in
                let limit = KeptRows.stepBytes / Limits.rowBytes
                let rows = try reader.outbox(after: .zero, limit: limit, bytesMax: KeptRows.stepBytes)
                return (rows.filter { $0.sequence <= last }, try reader.lastRemovedSubscription())
            }
            guard !rows.isEmpty else { return }
            var kept = KeptRows(.none)
            kept.add(rows, after: LastSubscription(after: before), at: Time.now)
            while let old = kept.takeOld(at: Time.now) { try await store.write(in: .whole) { try $0.remove(old) } }
        }
    }
}
