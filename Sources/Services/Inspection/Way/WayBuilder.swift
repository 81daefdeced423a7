import CloudMessages
import CloudModel
import EventLog
import JSON

/// Makes the steps of a way of a search.
struct WayBuilder {
    private(set) var way: NotificationWay
    private let layout: TopicLayout

    init(_ question: WayFinder.Question, _ layout: TopicLayout) {
        way = NotificationWay(question.change, question.user)
        way.database = question.database
        way.subscription = question.subscription
        self.layout = layout
    }

    private func place(
        _ partition: TopicPartition, _ offset: Int64, _ time: Timestamp
    ) -> ExplainedPlace {
        ExplainedPlace(
            topic: layout.shortName(partition.topic), partition: partition.partition, offset: offset, time: time)
    }

    // MARK: To the journal

    /// Takes the notification and what it was made from.
    /// - Parameter isWhole: false if the search ended before it had looked everywhere.
    /// - Returns: false if nothing of it is kept.
    mutating func take(_ found: WaySearch.Found, isWhole: Bool = true) -> Bool {
        guard found.change != nil || found.journal != nil else { return false }
        way.subscriptions = found.subscriptions
        if let subject = found.journal.flatMap({ $0.subject ?? $0.past?.subject }) {
            way.database = DatabaseScope(rawValue: subject.database) ?? way.database
            way.subscription = SubscriptionID(trusted: subject.subscription)
        } else if way.subscription == nil {
            way.subscription = found.subscriptions.first.map { SubscriptionID(trusted: $0) }
        }
        way.isBackfilled = found.journal?.past != nil
        takeChange(found, isWhole: isWhole)
        if let hit = found.hit {
            way.step(
                .matched, .yes, "stage 1 appended the hit", place(hit.partition, hit.offset, hit.time))
        } else if isWhole {
            way.step(
                .matched, .unknown,
                found.journal == nil
                    ? "no hit of the user on the change is in deliveries: 'fanfare explain' says why"
                    : "deliveries of that time are not kept any more")
        }
        guard let journal = found.journal else {
            if found.hit != nil, isWhole {
                way.step(
                    .journal, .unknown,
                    "stage 2 has not come to the hit, left it out, or its delivery policy holds it: "
                        + "'fanfare explain' says which")
            }
            return true
        }
        let count = journal.covered.count + 1
        way.step(
            .journal, .yes,
            count == 1
                ? "stage 2 appended the notification to the journal"
                : "stage 2 appended one notification for \(count) changes to the journal, by its delivery policy",
            place(layout.journals(of: way.user), journal.offset, journal.appended))
        return true
    }

    private mutating func takeChange(_ found: WaySearch.Found, isWhole: Bool) {
        if let change = found.change {
            let origin = change.change.origin
            way.database = change.change.database
            way.recordName = change.change.matched?.name
            way.recordType = change.change.matched?.type
            var facts: JSONObject = ["userRecordName": .string(origin.user.rawValue)]
            if let device = origin.device { facts["deviceID"] = .string(device.rawValue) }
            let from = origin.device.map { " on \($0)" } ?? ""
            way.step(
                .commit, .yes, "\(change.change.committed.iso8601) by \(origin.user)\(from)",
                at: change.change.committed, facts: facts)
            way.step(
                .outbox, .yes, "the relay appended the change", place(change.partition, change.offset, change.time))
        } else if let journal = found.journal {
            way.step(.commit, .yes, journal.time.iso8601, at: journal.time)
            if isWhole { way.step(.outbox, .unknown, "changes of that time are not kept any more") }
        }
    }

    // MARK: Behind the journal

    /// Takes whether a device reads the notification in the journal, and whether it has fetched it.
    mutating func take(_ journal: DeliveredEntry, of device: WayFinder.Device) {
        var facts: JSONObject = ["deviceID": .string(device.id.rawValue), "epoch": .integer(device.epoch.rawValue)]
        let title = "\(device.id) (epoch \(device.epoch))"
        guard journal.concerns(device.id.rawValue, device.epoch.rawValue) else {
            facts["madeTheChange"] = true
            way.step(.feed, .no, "\(title) made the change itself, and is not notified of it", facts: facts)
            return
        }
        way.step(
            .feed, .yes, "\(title) has it in what it reads",
            place(layout.journals(of: way.user), journal.offset, journal.appended), facts: facts)
        takeFetched(device, title, at: journal.offset)
    }

    private mutating func takeFetched(_ device: WayFinder.Device, _ title: String, at offset: Int64) {
        var facts: JSONObject = ["deviceID": .string(device.id.rawValue), "epoch": .integer(device.epoch.rawValue)]
        guard let place = device.place, place.epoch == device.epoch else {
            way.step(.fetched, .unknown, "\(title) has not come back with a token that is known", facts: facts)
            return
        }
        guard place.offset > offset else {
            way.step(.fetched, .no, "\(title) has not read past it", facts: facts)
            return
        }
        if let seen = device.lastSeen { facts["notAfter"] = .integer(seen.milliseconds) }
        let until = device.lastSeen.map { ", by \($0.iso8601)" } ?? ""
        way.step(.fetched, .yes, "\(title) has read past it\(until)", facts: facts)
    }

    /// Takes the mark by which it was read.
    mutating func take(readMark look: (mark: DeliveredEntry?, isWhole: Bool)) {
        guard let mark = look.mark else {
            way.step(
                .read, look.isWhole ? .no : .unknown,
                look.isWhole ? "it was not marked as read" : "no mark is in the next entries of the journal")
            return
        }
        let device = mark.device.map { " on \($0)" } ?? ""
        way.step(
            .read, .yes, "the user marked it as read\(device)",
            place(layout.journals(of: way.user), mark.offset, mark.appended),
            facts: mark.device.map { ["deviceID": .string($0)] } ?? [:])
    }

    /// Takes the pushes that were asked for, and the notes of senders about them.
    mutating func take(_ pushes: WaySearch.Pushes, _ logs: PushLogs) {
        switch pushes {
        case .none:
            way.step(
                .push, .no,
                "no push was asked for: no device with an address was notified, or a delivery policy holds it")
        case .unfinished: way.step(.push, .unknown, "no push of it is in the next entries of pushes")
        case .unknown: way.step(.push, .unknown, "pushes of that time are not kept any more")
        case .found(let pushes): for push in pushes { take(push, logs) }
        }
    }

    private mutating func take(_ push: WaySearch.Push, _ logs: PushLogs) {
        guard !push.entry.destinations.isEmpty else {
            return way.step(.push, .no, "for web couriers alone", push.place)
        }
        let changes = push.changeCount == 1 ? "" : " for \(push.changeCount) changes"
        for destination in push.entry.destinations.sorted(by: { "\($0)" < "\($1)" }) {
            way.step(
                .push, .yes, "a push\(changes) to \(destination) was asked for", push.place,
                facts: Self.facts(destination, state: "asked"))
            takeNotes(of: push, destination, logs)
        }
    }

    private mutating func takeNotes(
        of push: WaySearch.Push, _ destination: PushLogs.Destination, _ logs: PushLogs
    ) {
        // A push-log that cannot be read says nothing of it.
        let notes = (try? logs.notes(about: "\(push.name)", to: destination)) ?? []
        if let handed = notes.lazy.compactMap(\.handed).first {
            way.step(
                .push, .yes, "\(destination): handed to the push sender", at: handed,
                facts: Self.facts(destination, state: "handed"))
        }
        for note in notes.suffix(Self.notesMax) {
            var facts = Self.facts(destination, state: note.outcome.rawValue)
            if let status = note.status { facts["status"] = .integer(status) }
            if !note.reason.isEmpty { facts["reason"] = .string(note.reason) }
            let isGood = note.outcome == .sent || note.outcome == .collapsed
            way.step(
                .push, isGood ? .yes : .no, "\(destination): \(note.outcome)", at: note.answered ?? note.sent,
                facts: facts)
        }
    }

    /// Notes of a push that are shown: the last ones.
    private static let notesMax = 10

    private static func facts(_ destination: PushLogs.Destination, state: String) -> JSONObject {
        [
            "deviceID": .string(destination.device.rawValue), "epoch": .integer(destination.epoch.rawValue),
            "kind": .string(destination.kind.rawValue), "state": .string(state),
        ]
    }

    /// Ends the way where the search may read no more.
    mutating func endEarly() {
        way.step(
            way.steps.last?.kind ?? .commit, .unknown,
            "the search ended here, after \(Limits.wayBytesMax >> 20) MiB of the log; 'fanfare explain' reads on")
    }
}
