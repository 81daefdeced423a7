package import CloudMessages
import CloudModel
package import EventLog

/// The places that feeds are read from: users' journals, and the topics that stage 3 makes of them for devices.
package struct FeedSources: Sendable {
    let log: any EventLog
    let layout: TopicLayout
    /// Users' journals.
    package let journals: any Journals

    /// - Parameter journals: the process's view of them; nil for journals on the log itself.
    package init(_ log: any EventLog, layout: TopicLayout, journals: (any Journals)? = nil) {
        self.log = log
        self.layout = layout
        self.journals = journals ?? LogJournals(log, layout: layout)
    }

    /// Opens what a form of a place is in; nil where it is not to be seen.
    func reader(
        of identity: FeedIdentity, in part: FeedPosition.Part, notOlderThan age: Duration = .zero
    ) async throws -> (any EntryReader)? {
        do {
            switch part {
            case .topic: return try await log.reader(of: TopicPartition(layout.feed(identity.device, identity.epoch)))
            case .journal, .feed, .shared: return try await journals.reader(of: identity.user, notOlderThan: age)
            }
        } catch LogError.unknownTopic {
            return nil
        }
    }
}
