public import Foundation

/// A place in a feed: of a zone, of a database, or of a device's notifications. Opaque: to keep and to give back.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Codable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// True for the same position: tokens are compared as texts.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKServerChangeToken)?.text == text }

    /// A hash of the token.
    public override var hash: Int { text.hashValue }

    /// The beginning of the token, for developers.
    public override var description: String { "<CKServerChangeToken \(text.prefix(12))…>" }

    /// The token itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: tokens are archived by `NSKeyedArchiver`, as in CloudKit.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the token.
    public func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "Token") }

    /// A token from an archive.
    public init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "Token") else { return nil }
        self.text = String(describing: text)
    }

    /// A token from a `Codable` archive: a text.
    public init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    /// Writes the token as a text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
