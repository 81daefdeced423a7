package import CloudModel
package import Feeds
package import Identity
import RecordStore

/// Finds the user and the change of a notification's ID.
package struct NotificationOwner: Sendable {
    private static let usersPage = 1000
    private let identity: IdentityService
    private let identifiers: NotificationIdentifiers

    package init(_ identity: IdentityService, _ identifiers: NotificationIdentifiers) {
        self.identity = identity
        self.identifiers = identifiers
    }

    /// The user and the change.
    /// - Parameter owner: the user; nil tries all.
    /// - Throws: `NOT_FOUND` where it is no notification of this user, or of none.
    package func subject(of id: String, owner: UserRecordName?) async throws -> NotificationSubject {
        // By bytes: one character may have any number of accents.
        let shown = String(decoding: id.utf8.prefix(80), as: UTF8.self)
        if let owner {
            guard let change = identifiers.decode(id, of: owner) else {
                throw CloudError(.notFound, "'\(shown)' is no notification of \(owner)")
            }
            return NotificationSubject(user: owner, change: change)
        }
        var (last, tried) = ("", 0)
        // Other forms are nobody's: 32 digits and 4 dashes.
        while id.utf8.count == 36, tried < Limits.notificationUsersMax {
            let users = try await identity.listUsers(after: last, limit: Self.usersPage)
            for user in users {
                guard let change = identifiers.decode(id, of: user.profile.name) else { continue }
                return NotificationSubject(user: user.profile.name, change: change)
            }
            guard users.count == Self.usersPage, let end = users.last else { break }
            tried += users.count
            last = end.profile.name.rawValue
        }
        throw CloudError(
            .notFound,
            tried < Limits.notificationUsersMax
                ? "'\(shown)' is no notification of a user here"
                : "'\(shown)' is no notification of the first \(tried) users: 'user' names its owner")
    }
}
