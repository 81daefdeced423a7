import CloudJSON
package import CloudModel
package import JSON

/// The answer to why a subscription did or did not notify of a change, step by step, from the topics.
package struct Explanation: Sendable {
    /// The outcome of a step.
    package enum Outcome: String, Sendable {
        case yes
        /// No: the reason for the verdict.
        case no
        /// Not known any more, or not yet.
        case unknown
    }

    /// One step of the way of a notification.
    package struct Step: Sendable {
        /// The kinds of steps, in their order.
        package enum Kind: String, Sendable, CaseIterable {
            case change, subscription, reader, predicate, fires, matched, hit, delivered, journal, device
            /// The push that senders are asked for, and the things that happened to it.
            case push, handed, waits, collapsed, dropped, sent
        }

        package var kind: Kind
        package var outcome: Outcome
        /// A sentence for people; nothing is decided by it.
        package var text: String
        /// Finer steps, such as the nodes of a predicate.
        package var details: [Detail] = []
        /// The same for programs, of pushes.
        package var facts = JSONObject()
        /// The entry of the log that it rests on.
        package var place: ExplainedPlace?
        /// The time of the commit, of the change.
        package var time: Timestamp?
        /// The predicate for the record before and after the change.
        package var outcomes: [Outcomes] = []
        /// Of a device: its ID, its life, and whether it has read past.
        package var deviceFacts = JSONObject()
    }

    /// The nodes of the predicate for a record.
    package struct Outcomes: Hashable, Sendable {
        /// True for the record before the change, false for the one after it.
        package var isBefore: Bool
        package var node: PredicateOutcome
    }

    /// A finer step.
    package struct Detail: Hashable, Sendable {
        /// From 0.
        package var depth: Int
        package var outcome: Outcome
        package var text: String
    }

    package var change: CommitSequence
    package var subscription: SubscriptionKey
    /// In the order of the delivery path.
    package internal(set) var steps: [Step] = []
    package internal(set) var verdict = Verdict.noChange
    /// False if values of records and of the predicate are left out.
    package let hasValues: Bool

    /// True for a fault of the service: a notification is missing.
    package var isLost: Bool { verdict.isLost }

    init(change: CommitSequence, subscription: SubscriptionKey, hasValues: Bool = true) {
        self.change = change
        self.subscription = subscription
        self.hasValues = hasValues
    }

    /// Lines for people.
    package var lines: [String] {
        steps.flatMap { step in
            ["\(step.outcome.sign) \(step.kind.rawValue.padded(to: 12)) \(step.text)"]
                + step.details.map {
                    "\(String(repeating: " ", count: 17 + 2 * $0.depth))\($0.outcome.sign) \($0.text)"
                }
        } + ["", verdict.description]
    }

    /// The explanation for programs: sentences, and beside them places, times, nodes and values.
    package var json: JSONObject { json(numbersAsStrings: false) }

    /// - Parameter numbersAsStrings: true to write numbers of records and of the predicate as strings.
    package func json(numbersAsStrings: Bool) -> JSONObject {
        let nodes = PredicateOutcomeJSON(numbersAsStrings: numbersAsStrings, hasValues: hasValues)
        var json: JSONObject = [
            "change": .integer(change.rawValue), "userRecordName": .string(subscription.user.rawValue),
            "database": .string("\(subscription.database)"), "subscriptionID": .string(subscription.id.rawValue),
            "verdict": .string(verdict.description), "verdictCode": .string(verdict.code), "isLost": .bool(isLost),
            "steps": .array(steps.map { .object($0.json(nodes)) }), "way": .array(way),
        ]
        if !hasValues { json["valuesLeftOut"] = true }
        return json
    }
}

extension Explanation.Step {
    fileprivate func json(_ nodes: PredicateOutcomeJSON) -> JSONObject {
        var json: JSONObject = [
            "step": .string(kind.rawValue), "outcome": .string(outcome.rawValue), "text": .string(text),
        ]
        if !details.isEmpty {
            json["details"] = .array(
                details.map {
                    [
                        "depth": .integer(Int64($0.depth)), "outcome": .string($0.outcome.rawValue),
                        "text": .string($0.text),
                    ]
                })
        }
        if !facts.isEmpty { json["push"] = .object(facts) }
        if let place { json["place"] = place.json }
        if let time { json["time"] = .integer(time.milliseconds) }
        for outcome in outcomes { json[outcome.isBefore ? "before" : "after"] = nodes.node(outcome.node) }
        for (key, value) in deviceFacts { json[key] = value }
        return json
    }
}

extension Explanation.Outcome {
    /// The mark in lines for people.
    var sign: String {
        switch self {
        case .yes: "+"
        case .no: "-"
        case .unknown: "?"
        }
    }
}

extension String {
    /// The text with spaces up to a width.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
