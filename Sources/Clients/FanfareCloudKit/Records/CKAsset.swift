import CloudModel
public import Foundation

/// A file that belongs to a record: one of the app's that a save uploads, or one that was downloaded with its record.
public final class CKAsset: NSObject, NSSecureCoding, Sendable {
    /// The file; nil of one that was not downloaded, or could not be.
    public let fileURL: URL?
    /// The file as the service knows it; nil of one that was not uploaded.
    let uploaded: Asset?

    /// A file to upload.
    public init(fileURL: URL) {
        self.fileURL = fileURL
        uploaded = nil
    }

    init(fileURL: URL?, uploaded: Asset) {
        self.fileURL = fileURL
        self.uploaded = uploaded
    }

    /// True for the same uploaded bytes, or the same file.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKAsset else { return false }
        if let uploaded, let theirs = other.uploaded { return uploaded.fileChecksum == theirs.fileChecksum }
        return fileURL == other.fileURL
    }

    /// A hash of nothing in particular: equal assets may know each other by file or by checksum.
    public override var hash: Int { 0 }

    /// The file, for developers.
    public override var description: String { "<CKAsset \(fileURL?.path ?? "without a file")>" }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the place of the file and its checksum, not its bytes.
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
    }
}
