package import CloudModel
import Stages

/// A sign that halves do not belong together: one was lost, recreated, or restored from an older copy.
package enum IdentityDifference: Hashable, Sendable {
    /// A repair was begun and cut off: what it has not done yet may not be seen any more.
    case repairUnfinished
    /// A migration of the feeds was begun and cut off, or is under way.
    case migrationUnfinished
    /// The log has no record although the store has published to one.
    case recordLost
    /// The log is another one than the record was made on.
    case otherLog(recorded: String, found: String)
    /// A fixed topic is not there any more.
    case topicLost(String)
    /// A fixed topic was deleted and recreated.
    case topicRecreated(String)
    /// The feeds are in the topics of an earlier version.
    case formerLayout
    /// The store is another one than the log was written from: a new one, or another folder's.
    case otherStore
    /// The store is an older copy of itself: the log has sequences that it has not given yet.
    case olderStore(published: Int64, last: Int64)
    /// Another record-service with a copy of the store has published, or publishes now.
    case otherOwner
    /// The log is an older copy of itself: it lacks what the store knows to be published.
    case olderLog(published: Int64, known: Int64)

    /// The name of the topic that earlier versions could do without, without the container's prefix.
    private static let journals = "journals"

    /// The differences of the log from a record.
    package static func between(_ record: ScopeIdentity, _ log: ScopeIdentity.LogHalf) -> [IdentityDifference] {
        var found: [IdentityDifference] =
            switch record.work {
            case nil: []
            case .repair: [.repairUnfinished]
            case .feedMigration: [.migrationUnfinished]
            }
        if record.log.cluster != log.cluster {
            // All its topics are others, too.
            return found + [.otherLog(recorded: record.log.cluster, found: log.cluster)]
        }
        // A topic that the record does not know came with a later version.
        for (topic, incarnation) in record.log.topics.sorted(by: { $0.key < $1.key }) {
            guard let present = log.topics[topic] else {
                found.append(.topicLost(topic))
                continue
            }
            if present != incarnation { found.append(.topicRecreated(topic)) }
        }
        // But for the one that holds what devices read.
        if !record.log.topics.isEmpty, record.log.topics[journals] == nil { found.append(.formerLayout) }
        return found
    }

    /// The differences between a store and a log.
    /// - Parameters:
    ///   - record: the record in the log; nil when there is none.
    ///   - copy: the store's copy of it; nil when the store has published nothing yet.
    ///   - log: the log as it is.
    ///   - store: the store's incarnation.
    ///   - last: the sequence of the store's last commit.
    ///   - claims: those that the store has made; the record's has to be one of them.
    ///   - isLogUsed: true if the log holds entries; asked for only where neither half has a record.
    package static func between(
        record: ScopeIdentity?, copy: ScopeIdentity?, log: ScopeIdentity.LogHalf, store: UInt64, last: Int64,
        claims: Set<UInt64>, isLogUsed: Bool
    ) -> [IdentityDifference] {
        guard let record else {
            guard let copy else { return isLogUsed && last == 0 ? [.otherStore] : [] }
            return [.recordLost] + between(copy, log)
        }
        var found = between(record, log)
        if copy?.log.topics[journals] != nil, let index = found.firstIndex(of: .formerLayout) {
            // The log has lost the record that the feeds are moved.
            found[index] = .olderLog(published: record.published, known: copy?.published ?? 0)
        }
        if record.store != store {
            found.append(.otherStore)
        } else if record.published > last {
            found.append(.olderStore(published: record.published, last: last))
        } else if let copy, copy.published > record.published {
            found.append(.olderLog(published: record.published, known: copy.published))
        } else if record.owner != 0, !claims.contains(record.owner) {
            found.append(.otherOwner)
        }
        return found
    }
}

extension IdentityDifference: CustomStringConvertible {
    package var description: String {
        switch self {
        case .repairUnfinished: "a repair was begun and is not finished"
        case .migrationUnfinished:
            "the feeds are being moved, or that was cut off: 'fanfare feeds migrate --yes' goes on with it"
        case .recordLost: "the log has no record of what belongs together, although the store has published to one"
        case .otherLog(let recorded, let found): "the log is \(found), not \(recorded)"
        case .topicLost(let topic): "the topic '\(topic)' is gone"
        case .topicRecreated(let topic): "the topic '\(topic)' was deleted and recreated"
        case .formerLayout:
            "the feeds are in the topics of an earlier version: 'fanfare feeds migrate --yes' moves them"
        case .otherStore: "the store is another one than the log was written from"
        case .olderStore(let published, let last):
            "the store is an older copy: it has come to sequence \(last), and the log has \(published)"
        case .otherOwner:
            "another record-service with a copy of this store has published to the log: stop one of the two"
        case .olderLog(let published, let known):
            "the log is an older copy: it has come to sequence \(published), and the store has published \(known)"
        }
    }
}

/// A refusal to work on halves that do not belong together. It ends a whole stage: the topics that its start has read
/// of may be gone.
package struct IdentityMismatch: StageWideError, CustomStringConvertible {
    /// The container's environment.
    package let scope: ContainerEnvironment
    /// The differences.
    package let differences: [IdentityDifference]

    package init(_ scope: ContainerEnvironment, _ differences: [IdentityDifference]) {
        self.scope = scope
        self.differences = differences
    }

    package var description: String {
        let found = differences.map(\.description).joined(separator: "; ")
        return "\(scope): store and log do not belong together: \(found). 'fanfare repair' shows what would mend it"
    }
}
