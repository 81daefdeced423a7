import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

/// The pushes that a device has to be sent, from the commits of the store and the order of its feed alone.
struct PushOracle {
    /// The addresses that devices have at the end, with the sequence of their registration.
    private var since: [String: Int64] = [:]
    /// How often each was registered.
    private var registrations: [String: Int] = [:]
    private var marks: Set<Int64> = []
    /// Devices that set a badge.
    private var setters: Set<String> = []
    private let hits: [PlainOracle.Hit]

    /// - Parameter hits: everything that the user's subscriptions fire on.
    init(_ rows: [OutboxRow], of user: UserRecordName, _ hits: [PlainOracle.Hit]) throws {
        self.hits = hits
        for row in rows where row.destination == .deliveries {
            guard let value = row.value else { continue }
            let entry = try DeliveryEntry(decoding: value)
            guard entry.user == user.rawValue else { continue }
            switch entry.event {
            case .courierChanged(let event)?:
                let key = "\(event.device).\(event.epoch) \(event.courier)"
                since[key] = event.since > 0 ? event.since : nil
                if event.since > 0 { registrations[key, default: 0] += 1 }
            case .read(let event)?: marks.formUnion(event.changes)
            case .badge(let event)?: setters.insert(event.device)
            default: break
            }
        }
    }

    /// Judges the pushes to a device.
    /// - Parameters:
    ///   - feed: the device's notifications, from the first on.
    ///   - badge: the service's badge at the end; nil where it has none.
    ///   - hasLosses: something was lost for good: then anything may come late, twice or not.
    ///   - trimmedAt: the pushes that were handed when entries of `pushes` were lost first.
    ///   - isHeld: policies hold pushes, which then are in another order than the feed: `judgeHeld` counts them.
    func judge(
        _ handed: [SimulatedPushes.Handed], of device: DeviceID, _ epoch: DeviceEpoch, _ feed: [Notification],
        badge: Int64?, hasLosses: Bool, trimmedAt: Int?, isHeld: Bool
    ) -> [String] {
        guard !hasLosses else { return [] }
        var complaints: [String] = []
        var places: [SimulatedPushes.Subject: Int] = [:]
        for (place, notification) in feed.enumerated() where !isHeld {
            guard let name = PlainOracle.name(notification) else { continue }
            // A subscription that was made again delivers a change of its past once more.
            let subject = SimulatedPushes.Subject(change: name.change, subscription: name.subscription)
            if places[subject] == nil { places[subject] = place }
        }
        for kind in [CourierKind.apns, .webPush] {
            let own = handed.filter { $0.device == device && $0.kind == kind }
            // A push that was made up for lost entries comes again once its policy lets it go.
            let isMadeUp = isHeld && trimmedAt != nil
            complaints += judgeRepeats(own, places, isMadeUp: isMadeUp).map { "\(device) \(kind): \($0)" }
            complaints += judgeSubjects(own, device, epoch).map { "\(device) \(kind): \($0)" }
            let key = "\(device).\(epoch.rawValue) \(kind)"
            guard let since = since[key], !isHeld else { continue }
            // Lost entries are made up for where the device was sent a push before, and a badge alone is not.
            if let trimmedAt {
                let before = handed.prefix(trimmedAt)
                guard registrations[key] == 1, isSent(before, to: device, kind, since: since) else { continue }
            }
            // All changes of the badge are pushed, but those of the device itself, those without an address, those in a
            // push that was too large with its contents, and those that a browser would show nothing of.
            if kind == .apns, trimmedAt == nil, registrations[key] == 1, own.allSatisfy(\.hasContents),
                !setters.contains(device.rawValue), let badge,
                let shown = own.last(where: { $0.isAccepted == true && $0.badge != nil })?.badge, shown != badge
            {
                complaints.append("\(device) \(kind): the badge is \(badge), and \(shown) was pushed")
            }
            let last = own.filter { $0.isAccepted == true }.compactMap { $0.subject.flatMap { places[$0] } }.max() ?? -1
            for hit in hits
            where hit.change > since && !hit.isPast && !hit.isOptional && !hit.firesOnce
                && !(hit.device == device && hit.epoch == epoch)
            {
                let subject = SimulatedPushes.Subject(change: hit.change, subscription: hit.subscription)
                if let place = places[subject], place > last {
                    complaints.append("\(device) \(kind): \(hit.name) was never pushed, nor one after it")
                }
            }
        }
        return complaints
    }

    /// Returns true if a device was sent a push since the registration of its address. One that was registered again
    /// after its removal is another device: then the change of a push says which of the two had it.
    private func isSent(
        _ handed: some Sequence<SimulatedPushes.Handed>, to device: DeviceID, _ kind: CourierKind, since: Int64
    ) -> Bool {
        let lives = registrations.keys.count { $0.hasPrefix("\(device).") && $0.hasSuffix(" \(kind)") }
        return handed.contains {
            $0.device == device && $0.kind == kind && $0.isAccepted == true
                && (lives == 1 || ($0.subject?.change ?? 0) > since)
        }
    }

    /// Under policies each change is in one push to the device, as its own or among those that it covers; one that was
    /// read by then may be in none.
    /// - Parameter entries: those of the user's partition of `pushes`.
    func judgeHeld(_ entries: [LogEntry], _ device: DeviceID, _ epoch: DeviceEpoch) throws -> [String] {
        var complaints: [String] = []
        for kind in [CourierKind.apns, .webPush] {
            let key = "\(device).\(epoch.rawValue) \(kind)"
            guard let since = since[key], registrations[key] == 1 else { continue }
            var known: Set<SourcePosition> = []
            var counts: [PlainOracle.Name: Int] = [:]
            for entry in entries {
                guard let value = entry.value, case let push = try PushEntry(decoding: value),
                    let query = push.notification, let name = push.source?.position,
                    push.targets.contains(where: {
                        $0.device == device.rawValue && $0.epoch == epoch.rawValue && $0.courier == "\(kind)"
                    }), known.insert(name).inserted
                else { continue }
                for change in query.covered + [query.change] {
                    counts[PlainOracle.Name(change: change, subscription: query.subscription), default: 0] += 1
                }
            }
            for hit in hits
            where hit.change > since && !hit.isPast && !hit.isOptional && !hit.firesOnce
                && !(hit.device == device && hit.epoch == epoch)
            {
                let count = counts[hit.name] ?? 0
                if count > 1 || count == 0 && !marks.contains(hit.change) {
                    complaints.append("\(device) \(kind): \(hit.name) is in \(count) pushes")
                }
            }
        }
        return complaints
    }

    /// A repeat has its ID, and a reason: the answer before it, or another session. A push that comes for the first time
    /// is newer than all pushes before it, also those of other sessions.
    private func judgeRepeats(
        _ handed: [SimulatedPushes.Handed], _ places: [SimulatedPushes.Subject: Int], isMadeUp: Bool
    ) -> [String] {
        var complaints: [String] = []
        var ids: [SimulatedPushes.Subject: String] = [:]
        var newest: Int?
        var accepted: Set<String> = []
        for push in handed {
            let name = "\(push.session.takeOver) \(push.session.sender) \(push.id)"
            if accepted.contains(name) { complaints.append("a push was sent again without a reason") }
            if push.isAccepted == true { accepted.insert(name) }
            guard let subject = push.subject else { continue }
            if let id = ids[subject], id != push.id, !isMadeUp {
                complaints.append("\(subject.change)/\(subject.subscription) has two IDs")
            }
            let isNew = ids.updateValue(push.id, forKey: subject) == nil
            guard let place = places[subject] else { continue }
            if isNew, let newest, place < newest {
                complaints.append("\(subject.change)/\(subject.subscription) came after a newer one")
            }
            newest = max(newest ?? 0, place)
        }
        if !complaints.isEmpty { complaints.append("pushed were " + handed.map(\.description).joined(separator: ", ")) }
        return complaints
    }

    /// Nothing is pushed that no subscription fired on, nor what the device did itself, nor the past.
    private func judgeSubjects(
        _ handed: [SimulatedPushes.Handed], _ device: DeviceID, _ epoch: DeviceEpoch
    ) -> [String] {
        handed.flatMap { push -> [String] in
            let phantoms = push.read.filter { !marks.contains($0) }.map { "nobody marked \($0)" }
            guard let subject = push.subject else { return phantoms }
            let name = PlainOracle.Name(change: subject.change, subscription: subject.subscription)
            let causes = hits.filter { $0.name == name }
            if causes.isEmpty { return phantoms + ["\(name) is a phantom"] }
            if causes.allSatisfy(\.isPast) { return phantoms + ["\(name) is past"] }
            if causes.allSatisfy({ $0.device == device && $0.epoch == epoch }) {
                return phantoms + ["\(name) is its own change"]
            }
            return phantoms
        }
    }
}
