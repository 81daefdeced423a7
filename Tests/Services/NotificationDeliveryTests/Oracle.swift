import CloudMessages
import EventLog
import ProtocolBuffers

/// The expected content of journals and of what devices see of them, computed from the inputs alone by the rules of
/// docs/delivery.md and docs/choices.md, 7 and 9. Shares only the messages with the machine.
struct Oracle {
    /// An entry of a journal, as it is or as a device sees it: the input it was made from and, as text, what it says.
    struct Item: Equatable, CustomStringConvertible {
        var input: Int64
        var text: String

        var description: String { "\(input) \(text)" }
    }

    private struct Device {
        var id: String
        var epoch: Int64
        var badge: Int64
        /// The kinds with an address, in the order of their registration.
        var kinds: [(kind: String, since: Int64)] = []
    }

    private(set) var journals: [String: [Item]] = [:]
    /// What each device sees until it is removed.
    private(set) var feeds: [Life: [Item]] = [:]
    private(set) var commands: [Item] = []
    /// What `pushes` holds.
    private(set) var pushes: [Item] = []
    private(set) var badges: [String: Int64] = [:]
    private var devices: [String: [Device]] = [:]
    /// What a device of each user that is registered now finds, but for what it caused itself.
    private var shown: [String: [(item: Item, cause: Life?)]] = [:]
    private var spent: [String: Set<Int64>] = [:]
    private var read: [String: Set<Int64>] = [:]

    /// Takes all of `deliveries`; of each source's entries the first occurrence counts.
    init(_ log: [LogEntry]) throws {
        var seen: Set<String> = []
        for entry in log {
            let message = try DeliveryEntry(decoding: entry.value!)
            guard seen.insert("\(message.source!.position)").inserted else { continue }
            apply(message, entry.offset)
        }
        for device in devices.values.joined() { badges["\(device.id).\(device.epoch)"] = device.badge }
    }

    private mutating func apply(_ entry: DeliveryEntry, _ input: Int64) {
        let user = entry.user
        switch entry.event! {
        case .hits(let hits): for hit in hits.hits { apply(hit, hits, user, input) }
        case .registered(let event):
            let badge = (devices[user] ?? []).map(\.badge).max() ?? 0
            let text = "registered \(event.device) \(event.epoch)"
            let life = Life(user: user, device: event.device, epoch: event.epoch)
            feeds[life] =
                (shown[user] ?? []).filter { $0.cause != life }.map(\.item) + [Item(input: input, text: text)]
            // The courier that its client polls, if it has one, gets no pushes.
            devices[user, default: []].append(Device(id: event.device, epoch: event.epoch, badge: badge))
            journals[user, default: []].append(Item(input: input, text: text))
        case .unregistered(let event):
            devices[user]?.removeAll { $0.id == event.device && $0.epoch == event.epoch }
            journals[user, default: []].append(
                Item(input: input, text: "unregistered \(event.device) \(event.epoch)"))
        case .read(let event):
            var news: [Int64] = []
            for change in event.changes where read[user, default: []].insert(change).inserted {
                news.append(change)
                let item = Item(input: input, text: "read \(change)")
                journals[user, default: []].append(item)
                shown[user, default: []].append((item, nil))
                for device in devices[user] ?? [] where device.id != event.device {
                    feeds[Life(user: user, device: device.id, epoch: device.epoch)]?.append(item)
                }
            }
            let newest = news.sorted().suffix(20).map { "\($0)" }.joined(separator: ",")
            if !news.isEmpty { push("read \(newest)", user, by: event.device, input) }
        case .badge(let event):
            push("badge", user, by: event.device, input, value: event.value)
            for index in (devices[user] ?? []).indices { devices[user]![index].badge = event.value }
            journals[user, default: []].append(Item(input: input, text: "badge \(event.value)"))
        case .courierChanged(let event):
            for index in (devices[user] ?? []).indices
            where devices[user]![index].id == event.device && devices[user]![index].epoch == event.epoch {
                devices[user]![index].kinds.removeAll { $0.kind == event.courier }
                if event.since > 0 { devices[user]![index].kinds.append((event.courier, event.since)) }
            }
        case .backfillBegun, .backfillShareDone, .backfillSharesDone, .backfillCancelled, .sharedHits, .pastHits,
            .userRemoved, .policiesChanged, .deliveryDue:
            break
        }
    }

    private mutating func apply(_ hit: Hit, _ hits: HitsMessage, _ user: String, _ input: Int64) {
        if hit.firesOnce {
            guard spent[user, default: []].insert(hit.created).inserted else { return }
            commands.append(Item(input: input, text: "delete \(user) \(hit.subscription) \(hit.created)"))
        }
        let text = "\(hit.subscription) of \(hits.change) \(hits.recordName) \(hits.kind)"
        let origin = hits.origin!
        let isOwn = origin.user == user
        let by = Self.by(isOwn ? origin.device : nil, isOwn ? origin.epoch : nil)
        let cause = isOwn ? origin.device.map { Life(user: user, device: $0, epoch: origin.epoch ?? 0) } : nil
        shown[user, default: []].append((Item(input: input, text: text), cause))
        var (targets, badges): ([String], [String]) = ([], [])
        for index in (devices[user] ?? []).indices {
            let device = devices[user]![index]
            if isOwn, origin.device == device.id, origin.epoch == device.epoch { continue }
            var badge = ""
            if hit.shouldBadge {
                devices[user]![index].badge += 1
                badge = " badge \(device.badge + 1)"
                badges.append(" \(device.id).\(device.epoch)" + badge)
            }
            feeds[Life(user: user, device: device.id, epoch: device.epoch)]?.append(
                Item(input: input, text: text + badge))
            targets += device.kinds.map { " \($0.kind) \($0.since) \(device.id).\(device.epoch)\(badge)" }
        }
        journals[user, default: []].append(Item(input: input, text: text + by + badges.joined()))
        if !targets.isEmpty { pushes.append(Item(input: input, text: text + by + targets.joined())) }
    }

    /// Devices with an address get a badge or read marks; a badge those whose badge differs.
    private mutating func push(_ text: String, _ user: String, by cause: String, _ input: Int64, value: Int64? = nil) {
        let all = devices[user] ?? []
        let targets = all.filter { $0.id != cause && (value == nil || $0.badge != value) }.flatMap { device in
            device.kinds.map {
                " \($0.kind) \($0.since) \(device.id).\(device.epoch)" + (value.map { " badge \($0)" } ?? "")
            }
        }
        guard !targets.isEmpty else { return }
        let by = Self.by(cause, all.first { $0.id == cause }?.epoch)
        pushes.append(Item(input: input, text: text + by + targets.joined()))
    }

    private static func by(_ device: String?, _ epoch: Int64?) -> String {
        guard let device else { return "" }
        return " by \(device)" + (epoch.map { ".\($0)" } ?? "")
    }
}

extension Oracle.Item {
    /// A written entry in the oracle's form. A journal's entry also names its cause and the badges of all devices.
    init(_ entry: FeedEntry, isJournal: Bool) {
        let text: String
        switch entry.entry! {
        case .query(let query):
            let by = entry.device.map { " by \($0)" + (entry.epoch.map { ".\($0)" } ?? "") } ?? ""
            let badge = query.badge.map { " badge \($0)" } ?? ""
            let badges = query.badges.map { " \($0.device).\($0.epoch) badge \($0.badge)" }.joined()
            text =
                "\(query.subscription) of \(query.change) \(query.recordName) \(query.reason)\(badge)"
                + (isJournal ? by + badges : "")
        case .omitted(let rest): text = "omitted \(rest.count) of \(rest.change)"
        case .read(let mark): text = "read \(mark.change)"
        case .badge(let mark): text = "badge \(mark.value)"
        case .registered(let mark): text = "registered \(mark.device) \(mark.epoch)"
        case .unregistered(let mark): text = "unregistered \(mark.device) \(mark.epoch)"
        }
        self.init(input: entry.source!.offset, text: text)
    }

    /// What an entry of `pushes` says, in the oracle's words.
    init(_ entry: PushEntry) {
        let by = entry.device.map { " by \($0)" + (entry.epoch.map { ".\($0)" } ?? "") } ?? ""
        let targets = entry.targets.map { target in
            " \(target.courier) \(target.since) \(target.device).\(target.epoch)"
                + (target.badge.map { " badge \($0)" } ?? "")
        }
        let text =
            if let query = entry.notification {
                "\(query.subscription) of \(query.change) \(query.recordName) \(query.reason)"
            } else if let rest = entry.omitted {
                "omitted \(rest.count) of \(rest.change)"
            } else if !entry.read.isEmpty {
                "read \(entry.read.map { "\($0)" }.joined(separator: ","))"
            } else {
                "badge"
            }
        self.init(input: entry.source!.offset, text: text + by + targets.joined())
    }
}
