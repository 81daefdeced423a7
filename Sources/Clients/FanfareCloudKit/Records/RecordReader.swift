import CloudModel
import Foundation

/// Converts a service's answers to records, for one user and database.
struct RecordReader: Sendable {
    /// The database of the request.
    let scope: DatabaseScope
    /// The record name of the signed-in user; nil if not known.
    let user: String?
    /// The folder of downloaded files.
    let files: URL
    /// The URL of the web pages of shares, without the short GUID; nil where it is not needed.
    var shares: String?

    /// The ID of a zone. The owner of the caller's zones and of the public database is `CKCurrentUserDefaultName`.
    func zoneID(_ zone: ZoneID) -> CKRecordZone.ID {
        let isOwn = scope != .shared || zone.owner == .defaultOwner || zone.owner.rawValue == user
        return CKRecordZone.ID(
            zoneName: zone.name.rawValue, ownerName: isOwn ? CKCurrentUserDefaultName : zone.owner.rawValue)
    }

    /// The name of a creator or modifier; the caller is `CKCurrentUserDefaultName`.
    func userName(_ name: UserRecordName) -> String { name.rawValue == user ? CKCurrentUserDefaultName : name.rawValue }

    /// The system fields of a record.
    func systemValues(of record: Record) -> CKRecord.SystemValues {
        CKRecord.SystemValues(
            changeTag: record.changeTag, creationDate: Date(record.created.timestamp),
            creator: userName(record.created.user), modificationDate: Date(record.modified.timestamp),
            modifier: userName(record.modified.user), share: record.share?.rawValue)
    }

    /// The values of a record. Assets have a local file only if it was downloaded.
    func contents(of record: Record, in zone: CKRecordZone.ID) -> [String: FieldContent] {
        var contents: [String: FieldContent] = [:]
        for entry in record.fields.entries {
            let source = CKAsset.Source(
                database: scope, recordID: CKRecord.ID(record.name, in: zone), key: entry.name.rawValue)
            contents[entry.name.rawValue] = FieldContent(entry.value, in: zone) { asset in
                let file = AssetFile(asset, in: files).url
                let isThere = FileManager.default.fileExists(atPath: file.path)
                return CKAsset(fileURL: isThere ? file : nil, uploaded: asset, source: source)
            }
        }
        return contents
    }
}

/// The local URL of a downloaded file, by its checksum.
struct AssetFile {
    let url: URL

    init(_ asset: Asset, in folder: URL) {
        let name = asset.fileChecksum.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
        url = folder.appendingPathComponent("\(name)-\(asset.size)")
    }
}
