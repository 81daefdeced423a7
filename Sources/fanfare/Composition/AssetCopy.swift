import RecordStore

/// A copy of all files that a store names from one place to another, which can be repeated: files that are there with
/// their size are passed over.
struct AssetCopy: Sendable {
    /// The numbers of files by outcome.
    struct Summary: Sendable {
        var copied = 0
        var copiedBytes: Int64 = 0
        var present = 0
        /// Files without bytes that no record refers to: a sweep has just removed them, or an upload failed.
        var unreferenced = 0
        /// Files of records whose bytes are absent, or are other bytes.
        var defects: [String] = []
    }

    private enum Outcome: Sendable {
        case copied(Int64)
        case present
        case unreferenced
        case defect(String)
    }

    private static let page = 256
    private static let partBytes = 1 << 20
    /// Files copied at once.
    private static let width = 8

    let store: any RecordStore
    let source: any AssetStore
    let target: any AssetStore

    /// Copies all files.
    /// - Parameter progress: called after each page.
    /// - Throws: `StoreError` when a place cannot be used; everything copied until then stays.
    func run(_ progress: (Summary) -> Void) async throws -> Summary {
        var summary = Summary()
        var last = ""
        while true {
            let page = try await store.read { [last] in try $0.assets(after: last, limit: Self.page) }
            try await copy(page, into: &summary)
            progress(summary)
            guard let next = page.last, page.count == Self.page else { return summary }
            last = next.checksum
        }
    }

    private func copy(_ page: [StoredAsset], into summary: inout Summary) async throws {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var rest = page[...]
            for asset in rest.prefix(Self.width) { group.addTask { try await copy(asset) } }
            rest = rest.dropFirst(Self.width)
            while let outcome = try await group.next() {
                Self.count(outcome, in: &summary)
                if let asset = rest.popFirst() { group.addTask { try await copy(asset) } }
            }
        }
    }

    private static func count(_ outcome: Outcome, in summary: inout Summary) {
        switch outcome {
        case .copied(let bytes):
            summary.copied += 1
            summary.copiedBytes += bytes
        case .present: summary.present += 1
        case .unreferenced: summary.unreferenced += 1
        case .defect(let text): summary.defects.append(text)
        }
    }

    private func copy(_ asset: StoredAsset) async throws -> Outcome {
        if try await presentSize(asset) == asset.size { return .present }
        let incoming = try await target.makeIncoming()
        do {
            guard try await fill(incoming, with: asset) else {
                await incoming.discard()
                return asset.references == 0 ? .unreferenced : .defect("\(asset.checksum): the source has no such file")
            }
            let contents = try await incoming.finish()
            guard contents == AssetContents(checksum: asset.checksum, size: asset.size) else {
                await incoming.discard()
                return .defect(
                    "\(asset.checksum): the source has \(contents.size) bytes of checksum \(contents.checksum)")
            }
            try await incoming.keep()
            return .copied(asset.size)
        } catch StoreError.unreadable(let text) {
            await incoming.discard()
            return .defect("\(asset.checksum): \(text)")
        } catch {
            await incoming.discard()
            throw error
        }
    }

    /// The size of the target's file; nil for none, and for one with other bytes, which is replaced.
    private func presentSize(_ asset: StoredAsset) async throws -> Int64? {
        do { return try await target.size(of: asset.checksum) } catch StoreError.unreadable { return nil }
    }

    /// Appends all bytes of the source's file; returns false if it has none.
    private func fill(_ incoming: any IncomingAsset, with asset: StoredAsset) async throws -> Bool {
        guard try await source.size(of: asset.checksum) != nil else { return false }
        var offset: Int64 = 0
        while true {
            let part = try await source.read(asset.checksum, from: offset, count: Self.partBytes)
            guard let part else { return false }
            if part.isEmpty { return true }
            try await incoming.append(part)
            offset += Int64(part.count)
        }
    }
}
