package import CloudModel
package import EventLog

/// Users' journals as they are read: each by the offsets of its partition of `journals`, which many users share.
package protocol Journals: Sendable {
    /// Opens the journal of a user.
    /// - Parameter age: how old the reported bounds may be.
    /// - Throws: `LogError.unknownTopic` where there are no journals; `LogError.unavailable`.
    func reader(of user: UserRecordName, notOlderThan age: Duration) async throws -> any EntryReader

    /// The users who have something in their journals, in any order.
    func users() async throws -> [UserRecordName]
}

extension Journals {
    /// Opens the journal of a user, with present bounds.
    package func reader(of user: UserRecordName) async throws -> any EntryReader {
        try await reader(of: user, notOlderThan: .zero)
    }
}

/// Journals on the log itself: each batch walks over the entries of other users.
package struct LogJournals: Journals {
    private let log: any EventLog
    private let layout: TopicLayout

    package init(_ log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
    }

    package func reader(of user: UserRecordName, notOlderThan age: Duration) async throws -> any EntryReader {
        try await log.reader(of: layout.journals(of: user), key: layout.userKey(user))
    }

    package func users() async throws -> [UserRecordName] {
        var users: Set<UserRecordName> = []
        for number in 0..<layout.partitions {
            try await log.readToEnd(of: TopicPartition(layout.journals, number)) { entry in
                guard let key = entry.key else { return }
                let user = UserRecordName(key: key)
                if entry.value == nil { users.remove(user) } else { users.insert(user) }
            }
        }
        return Array(users)
    }
}
