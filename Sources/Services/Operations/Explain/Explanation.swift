package import CloudModel
package import JSON

/// The answer to why a subscription did or did not notify of a change: step by step, as the topics tell it.
package struct Explanation: Hashable, Sendable {
    /// The outcome of a step.
    package enum Outcome: String, Sendable {
        /// It was so.
        case yes
        /// It was not, and that is why.
        case no
        /// It cannot be told any more, or not yet.
        case unknown
    }

    /// One step of the way of a notification.
    package struct Step: Hashable, Sendable {
        /// The kinds of steps, in their order.
        package enum Kind: String, Sendable, CaseIterable {
            case change, subscription, reader, predicate, fires, matched, hit, delivered, journal, device
        }

        /// The kind.
        package var kind: Kind
        /// The outcome.
        package var outcome: Outcome
        /// A sentence.
        package var text: String
        /// Finer steps, such as the nodes of a predicate, each with how deep it lies.
        package var details: [Detail] = []
    }

    /// A finer step.
    package struct Detail: Hashable, Sendable {
        /// From 0.
        package var depth: Int
        /// The outcome.
        package var outcome: Outcome
        /// A line.
        package var text: String
    }

    /// The change.
    package var change: CommitSequence
    /// The subscription's owner, database and ID.
    package var subscription: SubscriptionKey
    /// The steps that were taken, in order.
    package internal(set) var steps: [Step] = []
    /// One sentence: what came of it, and why.
    package internal(set) var verdict = ""

    /// True if something is missing that should be there.
    package internal(set) var isLost = false

    init(change: CommitSequence, subscription: SubscriptionKey) {
        self.change = change
        self.subscription = subscription
    }

    /// Lines for people.
    package var lines: [String] {
        steps.flatMap { step in
            ["\(step.outcome.sign) \(step.kind.rawValue.padded(to: 12)) \(step.text)"]
                + step.details.map {
                    "\(String(repeating: " ", count: 17 + 2 * $0.depth))\($0.outcome.sign) \($0.text)"
                }
        } + ["", verdict]
    }

    /// The same for programs.
    package var json: JSONObject {
        [
            "change": .integer(change.rawValue), "userRecordName": .string(subscription.user.rawValue),
            "database": .string("\(subscription.database)"), "subscriptionID": .string(subscription.id.rawValue),
            "verdict": .string(verdict),
            "steps": .array(
                steps.map { step in
                    var json: JSONObject = [
                        "step": .string(step.kind.rawValue), "outcome": .string(step.outcome.rawValue),
                        "text": .string(step.text),
                    ]
                    if !step.details.isEmpty {
                        json["details"] = .array(
                            step.details.map {
                                [
                                    "depth": .integer(Int64($0.depth)), "outcome": .string($0.outcome.rawValue),
                                    "text": .string($0.text),
                                ]
                            })
                    }
                    return .object(json)
                }),
        ]
    }
}

extension Explanation.Outcome {
    fileprivate var sign: String {
        switch self {
        case .yes: "+"
        case .no: "-"
        case .unknown: "?"
        }
    }
}
