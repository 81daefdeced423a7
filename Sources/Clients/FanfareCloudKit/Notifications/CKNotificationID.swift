public import Foundation

// A class of its own, not one within another: archives on Linux take no others.
/// The opaque name of a notification, the same on all devices of the user; several subscriptions that one change fired
/// have the same one.
public final class CKNotificationID: NSObject, NSSecureCoding, NSCopying, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// True for the same notification.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKNotificationID)?.text == text }
    /// A hash of the name.
    public override var hash: Int { text.hashValue }
    /// The name, for developers.
    public override var description: String { text }
    /// The ID itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    /// True.
    public static var supportsSecureCoding: Bool { true }
    /// Writes the ID.
    public func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "ID") }
    /// An ID from an archive.
    public init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "ID") else { return nil }
        self.text = String(describing: text)
    }
}

/// The older name of a notification's kind.
public typealias CKNotificationType = CKNotification.NotificationType
/// The older name of a notification's reason.
public typealias CKQueryNotificationReason = CKQueryNotification.Reason
