import CloudMessages
import CloudModel
import EventLog
import NotificationDelivery
import SubscriptionMatcher
import TextForms

/// The rights that each role needs on Kafka, and no more: a table, and its form as Kafka's own commands.
///
/// Kafka's tool applies it, as librdkafka up to 2.1 cannot grant anything on transactional IDs.
struct TopicAccess: Sendable {
    /// A process, or a person, that has a principal of its own.
    enum Role: CaseIterable, Sendable {
        case recordService, subscriptionMatcher, pushSender, deviceClient, audit
    }

    /// Something that rights are granted on.
    enum Resource: Hashable, Sendable {
        case topic(String)
        case topics(prefix: String)
        case group(String)
        case groups(prefix: String)
        case transactions(prefix: String)
    }

    /// A right, as Kafka names it.
    enum Operation: String, Hashable, Sendable, CaseIterable {
        case read = "Read", write = "Write", create = "Create", delete = "Delete", describe = "Describe"
        case describeConfigs = "DescribeConfigs"
    }

    /// Rights on something.
    struct Grant: Hashable, Sendable {
        let resource: Resource
        let operations: [Operation]
    }

    private let layouts: [TopicLayout]

    /// The rights on the topics and groups of containers' environments.
    init(_ layouts: [TopicLayout]) { self.layouts = layouts }

    /// The rights of a role.
    func grants(_ role: Role) -> [Grant] {
        let own = layouts.flatMap { layout in
            [Grant(resource: .topics(prefix: layout.prefix), operations: [.describe, .describeConfigs])]
                + Self.topics(role, layout) + Self.groups(role, layout)
        }
        // Its replicas are the number for feeds, whichever brokers are up.
        let makesTopics = role == .subscriptionMatcher && layouts.contains(where: \.hasFeedTopics)
        return own + (makesTopics ? [Grant(resource: .topic("__consumer_offsets"), operations: [.describe])] : [])
    }

    private static func topics(_ role: Role, _ layout: TopicLayout) -> [Grant] {
        let changes = DatabaseScope.allCases.map { layout.changes($0).rawValue }
        let feedTopics = layout.hasFeedTopics ? [Resource.topics(prefix: layout.feedPrefix)] : []
        let journals = layout.journals.rawValue
        func each(_ names: [String], _ operations: Operation...) -> [Grant] {
            names.map { Grant(resource: .topic($0), operations: operations) }
        }
        switch role {
        case .recordService:
            let written = [layout.subscriptions, layout.pushAddresses, layout.poison, layout.identity].map(\.rawValue)
            // The state of delivery, its requests, and pushes for operators' questions; feeds of devices that are gone
            // are deleted.
            let read = [layout.deliveryState, layout.commands, layout.pushes, layout.pushState].map(\.rawValue)
            return each(changes + written, .read, .write) + each([layout.deliveries.rawValue], .read, .write)
                + each(read + [journals], .read)
                + [Grant(resource: .topics(prefix: layout.feedPrefix), operations: [.read, .delete])]
        case .subscriptionMatcher:
            // A reader of `subscriptions` writes an entry of its own to find the end of the earlier ones.
            let both = [layout.subscriptions, layout.deliveries, layout.deliveryState, layout.poison].map(\.rawValue)
            return each(changes + [layout.identity.rawValue], .read) + each(both, .read, .write)
                + each([layout.commands.rawValue, layout.pushes.rawValue], .write)
                + (layout.hasFeedTopics
                    ? each([journals, layout.feedState.rawValue], .read, .write) : each([journals], .write))
                + feedTopics.map { Grant(resource: $0, operations: [.write, .create, .delete]) }
        case .pushSender:
            // Journals have what `pushes` keeps no longer; requests to the record-service go by `commands`.
            return each([layout.pushes, layout.pushAddresses, layout.identity, layout.journals].map(\.rawValue), .read)
                + each([layout.pushState.rawValue, layout.poison.rawValue], .read, .write)
                + each([layout.commands.rawValue], .write)
        case .deviceClient:
            guard feedTopics.isEmpty else { return feedTopics.map { Grant(resource: $0, operations: [.read]) } }
            // The state of delivery says whose a device is.
            return each([journals, layout.deliveryState.rawValue], .read)
        case .audit: return [Grant(resource: .topics(prefix: layout.prefix), operations: [.read])]
        }
    }

    private static func groups(_ role: Role, _ layout: TopicLayout) -> [Grant] {
        let stateful = [layout.deliveryGroup] + (layout.hasFeedTopics ? [layout.feedTopicsGroup] : [])
        let groups = [SubscriptionMatcher.group(layout).rawValue] + stateful.map(\.rawValue)
        switch role {
        case .subscriptionMatcher:
            // The transactional ID of a state partition is that of its group and its input.
            return groups.map { Grant(resource: .group($0), operations: [.read, .describe]) }
                + stateful.map {
                    Grant(resource: .transactions(prefix: "\($0)/"), operations: [.write, .describe])
                }
        // How far the stages are, for audits, explanations and operators.
        case .audit, .recordService:
            let described = (groups + [layout.pushGroup.rawValue]).map {
                Grant(resource: .group($0), operations: [.describe])
            }
            // Whether a device's feed is read, before it counts as silent.
            let readers = Grant(resource: .groups(prefix: layout.readersPrefix), operations: [.describe])
            return described + (role == .recordService ? [readers] : [])
        case .pushSender:
            let group = layout.pushGroup.rawValue
            return [
                Grant(resource: .group(group), operations: [.read, .describe]),
                Grant(resource: .transactions(prefix: group + "/"), operations: [.write, .describe]),
            ]
        // A reader of a feed says that it is there by a committed offset.
        case .deviceClient:
            return [Grant(resource: .groups(prefix: layout.readersPrefix), operations: [.read, .describe])]
        }
    }

    /// The grants of a role as calls of Kafka's tool, a line for each set of rights.
    func commands(_ role: Role, principal: String) -> [String] {
        var together: [[Operation]: [Resource]] = [:]
        var order: [[Operation]] = []
        for grant in grants(role) {
            if together[grant.operations] == nil { order.append(grant.operations) }
            together[grant.operations, default: []].append(grant.resource)
        }
        return order.flatMap { operations in
            Dictionary(grouping: together[operations] ?? [], by: \.kind).sorted { $0.key < $1.key }.map {
                kind, resources in
                let rights = operations.map { "--operation \($0.rawValue)" }.joined(separator: " ")
                let names = resources.map { "\(kind.flag) \(Self.quoted($0.name))" }.joined(separator: " ")
                return
                    "acls --add --allow-principal \(Self.quoted(principal)) \(rights) --resource-pattern-type \(kind.pattern) \(names)"
            }
        }
    }

    /// A text as a shell takes it.
    private static func quoted(_ text: String) -> String { "'" + text.exchanging("'", for: "'\\''") + "'" }

    /// The access to an environment's topics, and the principals of its roles.
    typealias Environment = (access: TopicAccess, principals: KeyValuePairs<Role, String>)

    /// A script for `bash` with every role's grants.
    func script(principals: KeyValuePairs<Role, String>) -> String { Self.script([(self, principals)]) }

    /// A script for `bash`: the tool by the name that the environment gives it, and the grants of every environment's
    /// roles, on its own topics alone.
    static func script(_ environments: [Environment]) -> String {
        var lines = [
            "# The rights of each role on Kafka, for bash: KAFKA_ACLS is the tool, KAFKA_COMMAND_CONFIG a file with the administrator's credentials.",
            "set -euo pipefail",
            #"acls() { "${KAFKA_ACLS:-kafka-acls.sh}" --bootstrap-server "$KAFKA_BOOTSTRAP_SERVERS" ${KAFKA_COMMAND_CONFIG:+--command-config "$KAFKA_COMMAND_CONFIG"} "$@"; }"#,
        ]
        for (access, principals) in environments {
            for (role, principal) in principals where !principal.isEmpty {
                lines += access.commands(role, principal: principal)
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension TopicAccess.Resource {
    /// The flag and the pattern of Kafka's tool.
    struct Kind: Hashable, Comparable {
        let flag: String
        let pattern: String

        static func < (left: Kind, right: Kind) -> Bool { (left.flag, left.pattern) < (right.flag, right.pattern) }
    }

    fileprivate var kind: Kind {
        switch self {
        case .topic: Kind(flag: "--topic", pattern: "literal")
        case .topics: Kind(flag: "--topic", pattern: "prefixed")
        case .group: Kind(flag: "--group", pattern: "literal")
        case .groups: Kind(flag: "--group", pattern: "prefixed")
        case .transactions: Kind(flag: "--transactional-id", pattern: "prefixed")
        }
    }

    fileprivate var name: String {
        switch self {
        case .topic(let name), .group(let name): name
        case .topics(let prefix), .groups(let prefix), .transactions(let prefix): prefix
        }
    }
}
