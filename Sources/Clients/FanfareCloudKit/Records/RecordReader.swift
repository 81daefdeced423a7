import CloudModel
import Foundation

/// Makes records of what a service answered, as one user sees one database.
struct RecordReader: Sendable {
    /// The database that was asked.
    let scope: DatabaseScope
    /// The caller, where that is known.
    let user: String?
    /// The folder of downloaded files.
    let files: URL
    /// The address of the pages of shares, without the short GUID; nil where nobody asks for it.
    var shares: String?

    /// The name of a zone; the caller's own are `CKCurrentUserDefaultName`'s, as the public database's is.
    func zoneID(_ zone: ZoneID) -> CKRecordZone.ID {
        let isOwn = scope != .shared || zone.owner == .defaultOwner || zone.owner.rawValue == user
        return CKRecordZone.ID(
            zoneName: zone.name.rawValue, ownerName: isOwn ? CKCurrentUserDefaultName : zone.owner.rawValue)
    }

    /// The name of a user in a stamp.
    func userName(_ name: UserRecordName) -> String { name.rawValue == user ? CKCurrentUserDefaultName : name.rawValue }

    /// The parts that the service keeps.
    func systemValues(of record: Record) -> CKRecord.SystemValues {
        CKRecord.SystemValues(
            changeTag: record.changeTag, creationDate: Date(record.created.timestamp),
            creator: userName(record.created.user), modificationDate: Date(record.modified.timestamp),
            modifier: userName(record.modified.user), share: record.share?.rawValue)
    }

    /// The values of a record; files stand where they were downloaded.
    func contents(of record: Record, in zone: CKRecordZone.ID) -> [String: FieldContent] {
        var contents: [String: FieldContent] = [:]
        for entry in record.fields.entries {
            contents[entry.name.rawValue] = FieldContent(entry.value, in: zone) { asset in
                let file = AssetFile(asset, in: files).url
                let isThere = FileManager.default.fileExists(atPath: file.path)
                return CKAsset(fileURL: isThere ? file : nil, uploaded: asset)
            }
        }
        return contents
    }
}

/// The place of a downloaded file, by its checksum.
struct AssetFile {
    let url: URL

    init(_ asset: Asset, in folder: URL) {
        let name = asset.fileChecksum.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
        url = folder.appendingPathComponent("\(name)-\(asset.size)")
    }
}
