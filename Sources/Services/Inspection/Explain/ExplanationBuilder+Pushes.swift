import CloudMessages
import CloudModel
import EventLog
import JSON

/// The steps of push senders.
extension ExplanationBuilder {
    /// Failures of one push that are shown: the first ones, and the last.
    private static let failuresMax = 10

    /// The hold of a policy that has the change, before the pushes to a device; before the feed, if it has no name.
    func hold(before device: String) -> HoldMessage? {
        let subject = DeliveredEntry.Subject(explanation.change, explanation.subscription)
        return holds.first { $0.device == device && $0.stands(for: subject) }
    }

    /// Lists the devices before whose pushes a policy holds the notification.
    /// - Returns: true if there are any.
    mutating func takeHeld(_ devices: [DeviceState]) -> Bool {
        var isHeld = false
        for device in devices {
            guard let hold = hold(before: device.device), hold.epoch == device.epoch else { continue }
            isHeld = true
            let due = Timestamp(milliseconds: hold.due)
            step(
                .push, .unknown, "\(device.device): its delivery policy holds the push until \(due.iso8601)",
                facts: [
                    "deviceID": .string(device.device), "epoch": .integer(device.epoch), "dueAt": .integer(hold.due),
                ])
        }
        return isHeld
    }

    /// Looks for what happened to the pushes of the notification.
    /// - Parameters:
    ///   - name: that of their entry in `pushes`.
    ///   - committed: the time of the change.
    mutating func takePush(
        _ name: SourcePosition, _ push: PushEvidence, _ logs: PushLogs, committed: Timestamp?
    ) throws {
        let place = "\(layout.shortName(push.partition.topic))/\(push.partition.partition)"
        var destinations = push.entry?.destinations ?? []
        if let entry = push.entry {
            let asked = destinations.map { "\($0)" }.sorted().joined(separator: ", ")
            step(
                .push, destinations.isEmpty ? .no : .yes,
                "\(place) at \(entry.offset): "
                    + (destinations.isEmpty ? "for web couriers alone" : "asks for a push to \(asked)"))
        } else if push.isKept(since: committed) {
            step(.push, .no, "no push is asked for in \(place): no device that is notified had an address")
            return
        } else {
            step(.push, .unknown, "pushes of that time are not kept any more in \(place)")
            // Push-logs may know more.
            destinations = push.places.keys.filter { destination in
                (try? logs.notes(about: "\(name)", to: destination).isEmpty) == false
            }
        }
        for destination in destinations.sorted(by: { "\($0)" < "\($1)" }) {
            try takePush(name, to: destination, push, logs)
        }
        for fault in logs.faults { step(.handed, .unknown, "a push-log cannot be read: \(fault)") }
    }

    /// Follows the push of a destination, and those that stand for it.
    private mutating func takePush(
        _ name: SourcePosition, to destination: PushLogs.Destination, _ push: PushEvidence, _ logs: PushLogs
    ) throws {
        var (followed, seen) = ("\(name)", Set<String>())
        while seen.insert(followed).inserted {
            let notes = try logs.notes(about: followed, to: destination)
            if let handed = notes.lazy.compactMap(\.handed).first {
                step(
                    .handed, .yes, "\(destination): handed to the push sender at \(handed.iso8601)",
                    facts: Self.facts(destination, ["handedAt": .integer(handed.milliseconds)]))
            }
            take(notes, to: destination)
            guard let end = notes.last(where: \.outcome.isEnd) else {
                return takeWaiting(followed, name, to: destination, push, logs, isNoted: !notes.isEmpty)
            }
            guard let successor = end.successor else { return }
            followed = successor
        }
    }

    private mutating func take(_ notes: [PushLogs.Note], to destination: PushLogs.Destination) {
        let failures = notes.filter { !$0.outcome.isEnd }
        let omitted = failures.count - Self.failuresMax
        let shown = omitted > 0 ? failures.prefix(Self.failuresMax - 1) + failures.suffix(1) : failures
        for (index, note) in shown.enumerated() {
            if omitted > 0, index == shown.count - 1 {
                step(.sent, .no, "\(destination): sent \(omitted) more times in vain")
            }
            step(note.kind, .no, note.text(to: destination), facts: Self.facts(destination, note.facts))
        }
        // A crash sends a push again, with its ID: the push service has it once more.
        for note in notes where note.outcome.isEnd {
            let isGood = note.outcome == .sent || note.outcome == .collapsed
            step(
                note.kind, isGood ? .yes : .no, note.text(to: destination),
                facts: Self.facts(destination, note.facts))
        }
    }

    /// Looks for a push of which no push-log has the end in `push-state`.
    private mutating func takeWaiting(
        _ followed: String, _ name: SourcePosition, to destination: PushLogs.Destination, _ push: PushEvidence,
        _ logs: PushLogs, isNoted: Bool
    ) {
        let place = push.places[destination]
        if let waiting = place?.waiting, let waits = waiting.source?.position, "\(waits)" == followed {
            let due = Timestamp(milliseconds: waiting.due)
            var facts: JSONObject = ["merged": .integer(waiting.merged), "tries": .integer(Int64(waiting.tries))]
            if waiting.due > 0 { facts["dueAt"] = .integer(waiting.due) }
            step(
                .waits, .unknown,
                "\(destination): waits for the provider"
                    + (waiting.due > 0 ? " until \(due.iso8601)" : "")
                    + (waiting.tries > 0 ? ", after \(waiting.tries) times in vain" : "")
                    + (waiting.merged > 1 ? "; stands for \(waiting.merged) notifications" : ""),
                facts: Self.facts(destination, facts))
            return
        }
        if isNoted {
            step(
                .sent, .unknown,
                "\(destination): what happened then is not known: push-state has no such push that waits, and the push-log "
                    + "of another sender may have its end (--push-log)")
        } else if followed == "\(name)", name.isSettled(place?.settled) {
            step(
                .sent, .unknown,
                "\(destination): it is done with: sent, dropped, or in a newer push; \(logs.absence)")
        } else if let offset = push.entry?.offset, offset >= push.next ?? 0 {
            let next = push.next.map { "they are at \($0)" } ?? "none has begun"
            step(.handed, .unknown, "\(destination): not handed to a push sender yet (\(next))")
        } else if let waits = place?.waiting?.source?.position {
            step(
                .collapsed, .unknown,
                "\(destination): a newer push of the device waits (\(waits)), which may stand for it; \(logs.absence)")
        } else {
            step(.sent, .unknown, "\(destination): nothing is known of it: \(logs.absence)")
        }
    }

    private static func facts(_ destination: PushLogs.Destination, _ own: JSONObject) -> JSONObject {
        var facts: JSONObject = [
            "deviceID": .string(destination.device.rawValue), "epoch": .integer(destination.epoch.rawValue),
            "kind": .string(destination.kind.rawValue),
        ]
        for (key, value) in own { facts[key] = value }
        return facts
    }
}

extension SourcePosition {
    /// Returns true if a destination whose last settled push is given is done with the push of this name.
    fileprivate func isSettled(_ settled: SourcePosition?) -> Bool {
        guard let settled else { return false }
        return settled.source != source || !isAbove(settled)
    }
}

extension PushLogs {
    /// The reason why nothing is found.
    fileprivate var absence: String {
        if files.isEmpty { return "no push-log was given; that of another sender may have it (--push-log)" }
        let begins = first.map { "it begins at \($0.iso8601)" } ?? "it is empty"
        return files.count == 1
            ? "the push-log that was given has nothing of it (\(begins)); that of another sender may have it"
            : "the \(files.count) push-logs that were given have nothing of it; that of another sender may have it"
    }
}

extension PushLogs.Destination: CustomStringConvertible {
    var description: String { "\(device) (epoch \(epoch)) by \(kind)" }
}

extension PushLogs.Note {
    /// The kind of its step.
    fileprivate var kind: Explanation.Step.Kind {
        switch outcome {
        case .sent, .failed, .refused: .sent
        case .collapsed: .collapsed
        case .dropped, .removed: .dropped
        }
    }

    /// A sentence for people.
    fileprivate func text(to destination: PushLogs.Destination) -> String {
        let count = merged > 1 ? "; it stands for \(merged) notifications" : ""
        switch outcome {
        case .sent:
            let answer = status.map { "\($0)" } ?? "with success"
            return
                "\(destination): \(sending(to: destination.kind)), answered \(answer) with \(id(destination.kind))\(count)"
        case .collapsed: return "\(destination): collapsed into the push of \(successor ?? "a newer one")"
        case .dropped:
            return sent == nil
                ? "\(destination): dropped: \(Self.meaning(of: reason))"
                : "\(destination): \(sending(to: destination.kind)), \(answer); dropped"
        case .removed:
            let gone = since.map { " since \($0.iso8601)" } ?? ""
            return
                "\(destination): dropped: token gone\(gone): \(sending(to: destination.kind)), \(answer); the address was removed"
        case .failed:
            let again = due.map { "; sent again from \($0.iso8601) on" } ?? ""
            return "\(destination): \(sending(to: destination.kind)), \(answer)\(again)"
        case .refused:
            return
                "\(destination): \(sending(to: destination.kind)), \(answer): it waits until the provider accepts the service's credential"
        }
    }

    private func sending(to kind: CourierKind) -> String {
        let provider =
            switch kind {
            case .apns: "APNs"
            case .webPush: "the push service"
            case .webhook: "the webhook"
            default: "the provider"
            }
        return "sent to \(provider) at \(sent?.iso8601 ?? "an unknown time")"
    }

    private var answer: String { status.map { "answered \($0) \(reason)" } ?? "not answered (\(reason))" }

    private func id(_ kind: CourierKind) -> String {
        switch kind {
        case .apns: "apns-id \(push)"
        case .webhook: "webhook-id \(push)"
        default: "ID \(push)"
        }
    }

    /// A sender's own word for a drop, in words.
    private static func meaning(of reason: String) -> String {
        switch reason {
        case "noAddress": "the device has no address of the kind (noAddress)"
        case "noProvider": "the sender has no provider of the kind (noProvider)"
        case "expired": "its time was over before it could be sent (expired)"
        case "silent": "the browser did not ask for silent pushes (silent)"
        case "setAside": "its entry was set aside ('fanfare poison list'; setAside)"
        case "malformed": "it makes no push that this version knows (malformed)"
        case "contentLost": "push-state has lost its content (contentLost)"
        default: reason
        }
    }

    /// The same for programs; times in milliseconds since 1970 UTC.
    fileprivate var facts: JSONObject {
        var facts: JSONObject = [
            "outcome": .string(outcome.rawValue), "pushID": .string(push), "merged": .integer(merged),
            "tries": .integer(tries),
        ]
        if !reason.isEmpty { facts["reason"] = .string(reason) }
        if let status { facts["status"] = .integer(status) }
        for (key, time) in [
            ("handedAt", handed), ("sentAt", sent), ("answeredAt", answered), ("dueAt", due), ("goneSince", since),
        ] {
            if let time { facts[key] = .integer(time.milliseconds) }
        }
        if let successor { facts["collapsedInto"] = .string(successor) }
        return facts
    }
}
