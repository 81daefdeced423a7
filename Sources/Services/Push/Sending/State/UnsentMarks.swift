import CloudModel

/// The marks that were not sent to a destination: a browser takes no push that shows nothing, and read notifications are
/// worth a push of their own for a minute. The next push that is sent takes them along.
struct UnsentMarks: Hashable, Sendable {
    /// The newest changes whose notifications were read, ascending.
    private(set) var read: [Int64] = []
    /// The badge that was set last; nil for none.
    private(set) var badge: Int64?

    init(read: [Int64] = [], badge: Int64? = nil) {
        self.read = Self.newest(read)
        self.badge = badge
    }

    var isEmpty: Bool { read.isEmpty && badge == nil }

    /// Keeps the marks of a push that is not sent.
    mutating func keep(_ push: WaitingPush) {
        read = Self.newest(read + push.read)
        badge = push.badge ?? badge
    }

    /// Moves the marks to a push that is sent. A badge goes with one that shows something: alone it would show itself.
    mutating func take(to push: WaitingPush) -> WaitingPush {
        var push = push
        push.read = Self.newest(read + push.read)
        read = []
        if push.isVisible {
            push.badge = push.badge ?? badge
            badge = nil
        }
        return push
    }

    private static func newest(_ read: [Int64]) -> [Int64] { Array(read.suffix(Limits.pushedReadMarksMax)) }
}
