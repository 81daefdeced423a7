import CloudMessages
import CloudModel
import EventLog
import TestSupport
import Testing

@testable import fanfare

@Suite("Rights on topics") struct TopicAccessTests {
    private let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.a"), environment: .production))
    private var access: TopicAccess { TopicAccess([layout]) }

    /// Whether a role may do something with a topic.
    private func may(
        _ role: TopicAccess.Role, _ operation: TopicAccess.Operation, _ topic: String, by access: TopicAccess? = nil
    ) -> Bool {
        (access ?? self.access).grants(role).contains { grant in
            guard grant.operations.contains(operation) else { return false }
            return switch grant.resource {
            case .topic(let name): name == topic
            case .topics(let prefix): topic.hasPrefix(prefix)
            case .group, .groups, .transactions: false
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

    @Test("without topics of devices no role makes or writes one, and a device-client reads journals")
    func withoutFeedTopics() {
        let feed = layout.feedPrefix + "d.1"
        for topic in layout.fixedTopics.map(\.name.rawValue) + [feed] {
            for role in TopicAccess.Role.allCases {
                #expect(!may(role, .create, topic), "\(role) \(topic)")
                // The sweep finds those that are left from before.
                #expect(may(role, .delete, topic) == (role == .recordService && topic == feed), "\(role) \(topic)")
            }
        }
        #expect(!TopicAccess.Role.allCases.contains { may($0, .write, feed) })
        #expect(
            TopicAccess.Role.allCases.filter { may($0, .write, layout.journals.rawValue) } == [.subscriptionMatcher])
        let readable = layout.fixedTopics.map(\.name).filter { may(.deviceClient, .read, $0.rawValue) }
        #expect(Set(readable) == [layout.journals, layout.deliveryState])
    }

    @Test("topics of devices are made by matchers, and are all that a device-client reads")
    func feedTopics() {
        let layout = TopicLayout(layout.scope, feedTopics: true)
        let access = TopicAccess([layout])
        for topic in layout.fixedTopics.map(\.name.rawValue) {
            for role in TopicAccess.Role.allCases {
                #expect(
                    !may(role, .create, topic, by: access) && !may(role, .delete, topic, by: access),
                    "\(role) \(topic)")
            }
        }
        func roles(_ operation: TopicAccess.Operation, _ topic: String) -> [TopicAccess.Role] {
            TopicAccess.Role.allCases.filter { may($0, operation, topic, by: access) }
        }
        let feed = layout.feedPrefix + "d.1"
        #expect(roles(.create, feed) == [.subscriptionMatcher] && roles(.write, feed) == [.subscriptionMatcher])
        #expect(roles(.delete, feed) == [.recordService, .subscriptionMatcher])
        #expect(roles(.write, layout.feedState.rawValue) == [.subscriptionMatcher])
        #expect(roles(.read, layout.journals.rawValue).contains(.subscriptionMatcher))
        let readable = (layout.fixedTopics.map(\.name.rawValue) + [feed]).filter {
            may(.deviceClient, .read, $0, by: access)
        }
        #expect(readable == [feed])
        let groups = access.grants(.subscriptionMatcher).map(\.resource)
        #expect(groups.contains(.group("iCloud.a.production.feed-topics")))
        #expect(groups.contains(.transactions(prefix: "iCloud.a.production.feed-topics/")))
    }

    @Test("an audit and a device-client write nothing, and nobody reaches another environment's topics")
    func foreign() {
        let topics = layout.fixedTopics.map(\.name.rawValue)
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

    @Test("a reader of a feed commits in the groups of readers alone, where the record-service looks for it")
    func readers() {
        let readers = TopicAccess.Resource.groups(prefix: "iCloud.a.production.device.")
        func operations(_ role: TopicAccess.Role) -> [TopicAccess.Operation] {
            access.grants(role).filter { $0.resource == readers }.flatMap(\.operations)
        }
        #expect(operations(.deviceClient) == [.read, .describe] && operations(.recordService) == [.describe])
        #expect(operations(.subscriptionMatcher).isEmpty && operations(.pushSender).isEmpty)
        let device = Device(
            id: DeviceID(trusted: "phone"), user: UserRecordName.sample("a"), epoch: DeviceEpoch(7), name: "",
            platform: "", registered: Timestamp(milliseconds: 0))
        let group = layout.readers(of: device.id, device.epoch, device.user).group
        #expect(group.rawValue == "iCloud.a.production.device.phone.7")
        let groups = [layout.pushGroup, layout.matchingGroup, layout.deliveryGroup].map(\.rawValue)
        #expect(!groups.contains { $0.hasPrefix(layout.readersPrefix) })
    }

    private let folder = TemporaryFolder()

    /// The lines of `topics acls` by principal.
    private func rights(_ arguments: [String]) async throws -> (code: Int32, [String: [String]], complaints: String) {
        let process = FanfareProcess(
            ["topics", "acls"] + arguments, folder: folder, name: "acls-\(UInt64.random(in: 0 ... .max))")
        let (code, output) = try await within { try await process.run() }
        var found: [String: [String]] = [:]
        for line in output.split(separator: "\n") where line.hasPrefix("acls --add") {
            let principal = line.split(separator: "'")[1]
            found[String(principal), default: []].append(String(line))
        }
        return (code, found, process.complaints)
    }

    @Test("each environment's roles are principals of their own, with rights on its topics and groups alone")
    func environments() async throws {
        let containers = ["--containers", "iCloud.a,iCloud.b"]
        let (code, found, _) = try await rights(containers)
        #expect(code == 0)
        let roles = ["push-sender", "record-service", "subscription-matcher"].map { "User:fanfare-\($0)" }
        #expect(found.keys.sorted() == (roles + roles.map { $0 + "-production" }).sorted())
        for (principal, lines) in found {
            let (own, other) =
                principal.hasSuffix("-production") ? ("production", "development") : ("development", "production")
            for line in lines {
                let isOfAll = line.contains("'__consumer_offsets'")
                #expect(isOfAll || (line.contains("iCloud.a.\(own).") && line.contains("iCloud.b.\(own).")), "\(line)")
                #expect(!line.contains(".\(other)."), "\(line)")
            }
        }
        // The same as of one environment alone.
        for (environment, suffix) in [("development", ""), ("production", "-production")] {
            let alone = try await rights(containers + ["--environments", environment]).1
            #expect(alone.keys.sorted() == roles.map { $0 + suffix })
            for (principal, lines) in alone { #expect(found[principal] == lines) }
        }
        let named = try await rights([
            "--record-service-principal", "User:{environment}-writer", "--subscription-matcher-principal", "",
            "--push-sender-principal", "",
            "--audit-principal", "User:auditor{suffix}",
        ]).1
        #expect(
            named.keys.sorted() == [
                "User:auditor", "User:auditor-production", "User:development-writer", "User:production-writer",
            ])
    }

    @Test(
        "one principal for both environments is refused, and so are containers whose topics begin alike",
        arguments: [
            ["--record-service-principal", "User:one"], ["--subscription-matcher-principal", "User:CN=one"],
            ["--audit-principal", "User:auditor"], ["--device-client-principal", "User:reader"],
            ["--containers", "iCloud.a,iCloud.a.production"],
        ])
    func shared(arguments: [String]) async throws {
        let both = try await rights(arguments)
        #expect(both.code == 2 && both.1.isEmpty, "\(both)")
        if arguments[0] != "--containers" {
            #expect(try await rights(arguments + ["--environments", "production"]).code == 0)
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
