import CloudMessages
import CloudModel
import EventLog
import Testing

@testable import fanfare

@Suite("Rights on topics") struct TopicAccessTests {
    private let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.a"), environment: .production))
    private var access: TopicAccess { TopicAccess([layout]) }

    /// Whether a role may do something with a topic.
    private func may(_ role: TopicAccess.Role, _ operation: TopicAccess.Operation, _ topic: String) -> Bool {
        access.grants(role).contains { grant in
            guard grant.operations.contains(operation) else { return false }
            return switch grant.resource {
            case .topic(let name): name == topic
            case .topics(let prefix): topic.hasPrefix(prefix)
            case .group, .transactions: false
            }
        }
    }

    @Test("changes are written by the record-service alone")
    func changes() {
        for database in DatabaseScope.allCases {
            let topic = layout.changes(database).rawValue
            #expect(TopicAccess.Role.allCases.filter { may($0, .write, topic) } == [.recordService])
        }
    }

    @Test("only matchers make topics, and only journals and feeds are made or deleted")
    func making() {
        for topic in layout.fixedTopics.map(\.name.rawValue) {
            for role in TopicAccess.Role.allCases {
                #expect(!may(role, .create, topic) && !may(role, .delete, topic), "\(role) \(topic)")
            }
        }
        for topic in [layout.journalPrefix + "u", layout.feedPrefix + "d.1"] {
            #expect(TopicAccess.Role.allCases.filter { may($0, .create, topic) } == [.subscriptionMatcher])
        }
        #expect(may(.recordService, .delete, layout.feedPrefix + "d.1"))
        #expect(!may(.recordService, .delete, layout.journalPrefix + "u"))
    }

    @Test("an audit and a device-client write nothing, and nobody reaches another environment's topics")
    func foreign() {
        let topics = layout.fixedTopics.map(\.name.rawValue) + [layout.journalPrefix + "u"]
        for role in [TopicAccess.Role.audit, .deviceClient] {
            #expect(!topics.contains { may(role, .write, $0) })
        }
        for role in TopicAccess.Role.allCases {
            for operation in TopicAccess.Operation.allCases {
                #expect(!may(role, operation, "iCloud.a.development.changes.public"))
                #expect(!may(role, operation, "iCloud.ab.production.changes.public"))
            }
        }
    }

    @Test("the script names every role's principal, quoted, and leaves out roles that are nobody")
    func script() {
        let text = access.script(principals: [.recordService: "User:CN=o'hara", .subscriptionMatcher: ""])
        #expect(text.contains("--allow-principal 'User:CN=o'\\''hara'"))
        #expect(!text.contains("--transactional-id"))
        let matcher = access.commands(.subscriptionMatcher, principal: "User:m")
        #expect(
            matcher.contains {
                $0.contains("--operation Write --operation Describe --resource-pattern-type prefixed")
                    && $0.contains("--transactional-id 'iCloud.a.production.notification-delivery/'")
            })
    }
}
