import CloudModel
public import Foundation

/// A file of a record: a local file that a save uploads, or a file that was downloaded with its record.
public final class CKAsset: NSObject, NSSecureCoding, Sendable {
    /// The local file; nil if it was not, or could not be, downloaded.
    public let fileURL: URL?
    /// The file on the service; nil before the upload.
    let uploaded: Asset?
    /// The field that it was fetched with, by which it can be set in others.
    let source: Source?

    /// A field of a record of the service's.
    struct Source: Sendable {
        var database: DatabaseScope
        var recordID: CKRecord.ID
        var key: String
    }

    /// A file to upload.
    public init(fileURL: URL) {
        self.fileURL = fileURL
        (uploaded, source) = (nil, nil)
    }

    init(fileURL: URL?, uploaded: Asset, source: Source? = nil) {
        self.fileURL = fileURL
        self.uploaded = uploaded
        self.source = source
    }

    /// True for the same uploaded bytes, or the same local file.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKAsset else { return false }
        if let uploaded, let theirs = other.uploaded { return uploaded.fileChecksum == theirs.fileChecksum }
        return fileURL == other.fileURL
    }

    /// Constant, as equal assets may share only the file or only the checksum.
    public override var hash: Int { 0 }

    /// The file, for developers.
    public override var description: String { "<CKAsset \(fileURL?.path ?? "without a file")>" }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Archives the path and checksum of the file, not its bytes.
    public func encode(with coder: NSCoder) {
        if let fileURL { coder.encode(fileURL.path as NSString, forKey: "Path") }
        guard let uploaded else { return }
        coder.encode(uploaded.fileChecksum as NSString, forKey: "Checksum")
        coder.encode(uploaded.size, forKey: "Size")
    }

    /// An asset from an archive.
    public init?(coder: NSCoder) {
        func text(_ key: String) -> String? {
            guard coder.containsValue(forKey: key) else { return nil }
            return coder.decodeObject(of: NSString.self, forKey: key).map { String(describing: $0) }
        }
        let path = text("Path")
        fileURL = path.map { URL(fileURLWithPath: $0) }
        uploaded = text("Checksum").map {
            Asset(fileChecksum: $0, size: coder.decodeInt64(forKey: "Size"))
        }
        source = nil
    }
}
