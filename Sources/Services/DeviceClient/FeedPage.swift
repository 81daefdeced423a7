package import CloudModel

/// One answer to a reader.
package struct FeedPage: Sendable {
    package var notifications: [Notification]
    /// Where to read on.
    package var place: FeedPosition
    /// Whether there is more already.
    package var moreComing: Bool
}
