import CloudModel
import ProtocolBuffers
import RecordStore

/// Decides which files a save may refer to.
struct AssetLedger {
    let storage: AssetStorage?
    let scope: ContainerEnvironment
    /// The database as the request names it, which the receipt names, too.
    let database: DatabaseScope
    let user: UserRecordName
    let time: Timestamp

    /// Checks that each file given was uploaded for its field by the same user, or is in that field already.
    /// - Parameter kept: the files that are there, of those given.
    func check(
        _ changes: [FieldName: FieldValue?], of type: RecordType, _ existing: Record?,
        _ kept: [String: StoredAsset]
    ) throws(CloudError) {
        for (field, value) in changes {
            for asset in value?.assets ?? [] {
                if let there = existing?.fields[field]?.assets.first(where: { $0.fileChecksum == asset.fileChecksum }) {
                    guard there.size == asset.size else { throw Self.otherSize(field, asset, there.size) }
                    continue
                }
                try checkReceipt(of: asset, AssetField(type: type, name: field))
                guard let stored = kept[asset.fileChecksum] else {
                    throw CloudError(
                        .notFound, "the file of the field '\(field)' is not kept any more; upload it again")
                }
                guard stored.size == asset.size else { throw Self.otherSize(field, asset, stored.size) }
            }
        }
    }

    private func checkReceipt(of asset: Asset, _ field: AssetField) throws(CloudError) {
        guard let storage else { throw .badRequest("this service keeps no assets") }
        guard let text = asset.receipt else {
            throw .badRequest(
                "the asset in the field '\(field.name)' needs the receipt that its upload, or assets/rereference, answered"
            )
        }
        let receipt = try storage.tokens.receipt(text, in: scope, at: time)
        guard receipt.checksum == asset.fileChecksum else {
            throw .badRequest("the receipt in the field '\(field.name)' is of another file")
        }
        guard receipt.upload.user == user else {
            throw CloudError(.accessDenied, "the file of the field '\(field.name)' was uploaded by another user")
        }
        // A file that the user read in one database may be uploaded to another, too.
        guard receipt.upload.field == nil || receipt.upload.database == database else {
            throw .badRequest(
                "the file of the field '\(field.name)' was uploaded for the \(receipt.upload.database) database")
        }
        guard let intended = receipt.upload.field, intended != field else { return }
        throw .badRequest(
            "the file was uploaded for the field '\(intended.name)' of \(intended.type), not for '\(field.name)' of \(field.type)"
        )
    }

    private static func otherSize(_ field: FieldName, _ asset: Asset, _ size: Int64) -> CloudError {
        .badRequest("the file of the field '\(field)' has \(size) bytes, not \(asset.size)")
    }
}
