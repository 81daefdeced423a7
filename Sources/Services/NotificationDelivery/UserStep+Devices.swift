import CloudMessages
import CloudModel
import EventLog

extension UserStep {
    /// Takes a device in. Its feed is the journal, with the entries before it.
    mutating func register(_ event: DeviceRegistered) {
        let id = DeviceID(trusted: event.device)
        let epoch = DeviceEpoch(event.epoch)
        guard !delivery.devices.contains(where: { $0.id == id && $0.epoch >= epoch }) else { return }
        var mark = RegisteredMark(
            device: event.device, epoch: event.epoch, name: event.name, platform: event.platform)
        mark.journal = delivery.journal.map { SourcePositionMessage($0) }
        delivery.devices.removeAll { $0.id == id }
        let badge = delivery.devices.map(\.badge).max() ?? 0
        let couriers = event.courier.isEmpty ? [] : [UserDelivery.Courier(kind: CourierKind(event.courier))]
        delivery.devices.append(UserDelivery.Device(id: id, epoch: epoch, badge: badge, couriers: couriers))
        outputs.hasRegistration = true
        appendToJournal(.registered(mark), by: Cause(device: id, epoch: epoch))
        advance()
    }

    /// Takes a device out.
    mutating func unregister(_ event: DeviceUnregistered) {
        let id = DeviceID(trusted: event.device)
        let epoch = DeviceEpoch(event.epoch)
        guard delivery.devices.contains(where: { $0.id == id && $0.epoch == epoch }) else { return }
        delivery.devices.removeAll { $0.id == id }
        let mark = UnregisteredMark(device: event.device, epoch: event.epoch)
        appendToJournal(.unregistered(mark), by: Cause(device: id, epoch: epoch))
        advance()
    }

    /// Notes that a device has a kind of courier since an entry of `push-addresses`, or has it no more. No feed shows it.
    mutating func changeCourier(_ event: CourierChanged) {
        let epoch = DeviceEpoch(event.epoch)
        guard
            let index = delivery.devices.firstIndex(where: { $0.id.rawValue == event.device && $0.epoch == epoch })
        else { return }
        let kind = CourierKind(event.courier)
        delivery.devices[index].couriers.removeAll { $0.kind == kind && $0.since != nil }
        guard event.since > 0 else { return }
        delivery.devices[index].couriers.append(
            UserDelivery.Courier(kind: kind, since: CommitSequence(event.since)))
    }

    /// Sends read marks to the user's other devices. A repeated mark sends nothing, unless the first one was forgotten
    /// because too many came after it.
    mutating func markRead(_ event: NotificationsRead) {
        let cause = cause(event.device)
        var news: [Int64] = []
        var last: SourcePosition?
        for change in event.changes where delivery.read.insert(CommitSequence(change)) {
            delivery.read.removeLowest(delivery.read.ranges.count - UserDelivery.readRangesMax)
            let mark = FeedEntry.Entry.read(ReadMark(change: change))
            appendToJournal(mark, by: cause)
            news.append(change)
            last = name
            advance()
        }
        guard let last else { return }
        delivery.dropHeld(of: Set(event.changes))
        let newest = Array(news.sorted().suffix(Limits.pushedReadMarksMax))
        pushToAddresses(PushEntry(read: newest), named: last, by: cause)
    }

    /// Sets the counters of all devices. Those whose counter it changes are pushed to.
    mutating func setBadge(_ event: BadgeSet) {
        let cause = cause(event.device)
        let others = delivery.devices.filter { $0.badge != event.value }
        for index in delivery.devices.indices { delivery.devices[index].badge = event.value }
        appendToJournal(.badge(BadgeMark(value: event.value)), by: cause)
        pushToAddresses(PushEntry(), badge: event.value, of: others, by: cause)
        advance()
    }

    /// Ends everything of a user who was removed. An entry without a value removes those of the journal.
    /// - Parameter days: the days of the partition so far.
    mutating func removeUser(days: Int64) {
        if delivery.journal != nil { emptyJournal() }
        var left = UserDelivery(user: delivery.user, layout: delivery.layout)
        left.removed = days
        left.applied = delivery.applied
        delivery = left
    }

    /// A device by its name, in the epoch that it is registered in.
    private func cause(_ device: String) -> Cause {
        let id = DeviceID(trusted: device)
        return Cause(device: id, epoch: delivery.devices.first { $0.id == id }?.epoch)
    }
}
