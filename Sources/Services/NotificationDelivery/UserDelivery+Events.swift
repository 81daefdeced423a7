import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

extension UserDelivery {
    /// Hits become notifications: into the journal, and into the feeds of all devices but the one that made the change.
    mutating func apply(_ hits: HitsMessage, _ writer: inout FeedWriter, _ outputs: inout DeliveryOutputs) throws {
        guard let zone = hits.zone, let origin = hits.origin?.origin else {
            throw MalformedMessage("hits without a zone or an origin")
        }
        let isOwn = origin.user == user
        let device = isOwn ? origin.device : nil
        let epoch = isOwn ? origin.epoch : nil
        let told = toldCount(of: hits)
        for hit in hits.hits.prefix(told) {
            if hit.firesOnce {
                guard !spent.contains(where: { $0.created == hit.created }) else { continue }
                spent.append(SpentSubscription(created: hit.created, fired: hits.change))
                if spent.count > Self.spentMax { spent.removeFirst(spent.count - Self.spentMax) }
                outputs.commands.append(deletion(of: hit, writer))
            }
            var notification = QueryNotification(
                database: hit.database, subscription: hit.subscription, change: hits.change, reason: hits.kind,
                recordType: hits.recordType, recordName: hits.recordName, zone: zone, fields: hit.fields,
                alertBody: hit.alertBody, appearance: hit.appearance, kind: hit.kind)
            appendToJournal(.query(notification), by: device, epoch, writer, &outputs)
            for index in devices.indices where devices[index].id != device || devices[index].epoch != epoch {
                // A badge may have been set as high as the wire allows: there it stays.
                if hit.shouldBadge, devices[index].badge < .max { devices[index].badge += 1 }
                notification.badge = hit.shouldBadge ? devices[index].badge : nil
                append(.query(notification), toFeedAt: index, by: device, epoch, writer, &outputs)
            }
            outputs.notificationCount += 1
            writer.advance()
        }
        let omitted = Int64(hits.hits.count - told) + Int64(max(0, hits.omitted))
        guard omitted > 0 else { return }
        let rest = OmittedNotifications(
            database: hits.hits.first?.database ?? 0, change: hits.change, reason: hits.kind,
            recordType: hits.recordType, recordName: hits.recordName, zone: zone, count: Int32(clamping: omitted))
        appendToJournal(.omitted(rest), by: device, epoch, writer, &outputs)
        for index in devices.indices where devices[index].id != device || devices[index].epoch != epoch {
            append(.omitted(rest), toFeedAt: index, by: device, epoch, writer, &outputs)
        }
        writer.advance()
    }

    /// How many of the hits in an entry are told one by one: a change makes a bounded number of entries and bytes in the
    /// feeds of all the user's devices together. The first hit of a change always is. Those that are not have not fired:
    /// a subscription that fires once stays.
    private func toldCount(of hits: HitsMessage) -> Int {
        let feeds = max(1, devices.count)
        let count = max(1, Limits.feedEntriesPerChangeMax / feeds) - Int(hits.first)
        let fitting = max(0, min(hits.hits.count, count))
        // So much cannot come for a few devices: their hits need not be measured.
        if feeds * (Limits.hitBytesPerChangeMax + Limits.messageBytesMax) <= Limits.feedBytesPerChangeMax {
            return fitting
        }
        let whole = Int64(Limits.feedBytesPerChangeMax / feeds)
        var room = whole - max(0, min(hits.bytesBefore, whole + 1))
        for (index, hit) in hits.hits.prefix(fitting).enumerated() {
            room -= Int64(hit.encoded().count)
            if room < 0 { return hits.first == 0 ? max(1, index) : index }
        }
        return fitting
    }

    /// A device's feed begins with the journal as it stands, by reference.
    mutating func register(_ event: DeviceRegistered, _ writer: inout FeedWriter, _ outputs: inout DeliveryOutputs) {
        let id = DeviceID(trusted: event.device)
        let epoch = DeviceEpoch(event.epoch)
        guard !devices.contains(where: { $0.id == id && $0.epoch >= epoch }) else { return }
        var mark = RegisteredMark(
            device: event.device, epoch: event.epoch, name: event.name, platform: event.platform)
        mark.journal = journal.map { SourcePositionMessage($0) }
        for former in devices where former.id == id { pending.append(Pending(device: id, epoch: former.epoch)) }
        devices.removeAll { $0.id == id }
        let badge = devices.map(\.badge).max() ?? 0
        outputs.topics.append(layout.feedSpecification(id, epoch))
        outputs.append(
            feedEntry(.registered(mark), after: nil, by: id, epoch, writer), to: layout.feed(id, epoch),
            isJournal: false)
        outputs.hasRegistration = true
        devices.append(Device(id: id, epoch: epoch, badge: badge, last: writer.name))
        appendToJournal(.registered(mark), by: id, epoch, writer, &outputs)
    }

    /// The feed is closed; its topic is deleted once the state that says so is committed.
    mutating func unregister(
        _ event: DeviceUnregistered, _ writer: inout FeedWriter, _ outputs: inout DeliveryOutputs
    ) {
        let id = DeviceID(trusted: event.device)
        let epoch = DeviceEpoch(event.epoch)
        guard devices.contains(where: { $0.id == id && $0.epoch == epoch }) else { return }
        devices.removeAll { $0.id == id }
        pending.append(Pending(device: id, epoch: epoch))
        appendToJournal(
            .unregistered(UnregisteredMark(device: event.device, epoch: event.epoch)), by: id, epoch, writer, &outputs)
    }

    /// The user's other devices learn it; marking twice tells nobody anything, unless the first mark was forgotten because
    /// too many came after it.
    mutating func markRead(_ event: NotificationsRead, _ writer: inout FeedWriter, _ outputs: inout DeliveryOutputs) {
        let id = DeviceID(trusted: event.device)
        let epoch = devices.first { $0.id == id }?.epoch
        for change in event.changes where read.insert(CommitSequence(change)) {
            read.removeLowest(read.ranges.count - Self.readRangesMax)
            appendToJournal(.read(ReadMark(change: change)), by: id, epoch, writer, &outputs)
            for index in devices.indices where devices[index].id != id {
                append(.read(ReadMark(change: change)), toFeedAt: index, by: id, epoch, writer, &outputs)
            }
            writer.advance()
        }
    }

    /// The counters of all devices are set.
    mutating func setBadge(_ event: BadgeSet, _ writer: inout FeedWriter, _ outputs: inout DeliveryOutputs) {
        let id = DeviceID(trusted: event.device)
        for index in devices.indices { devices[index].badge = event.value }
        let epoch = devices.first { $0.id == id }?.epoch
        appendToJournal(.badge(BadgeMark(value: event.value)), by: id, epoch, writer, &outputs)
    }

    private func deletion(of hit: Hit, _ writer: FeedWriter) -> OutgoingEntry {
        let database = DatabaseScope(rawValue: hit.database) ?? .public
        let command = Command(
            source: SourcePositionMessage(writer.name),
            command: .deleteSubscription(
                DeleteSubscription(
                    user: user.rawValue, database: hit.database, id: hit.subscription, created: hit.created)))
        let key = layout.commandKey(database)
        return OutgoingEntry(
            TopicPartition(layout.commands, layout.partition(of: key)), key: key, value: command.encoded(),
            headers: OperatorHeaders.make(
                type: "command", source: "\(writer.name.source)", id: "\(writer.name.offset).\(writer.name.index)"),
            timestamp: LogTimestamp(writer.time))
    }

    private mutating func appendToJournal(
        _ content: FeedEntry.Entry, by device: DeviceID?, _ epoch: DeviceEpoch?, _ writer: FeedWriter,
        _ outputs: inout DeliveryOutputs
    ) {
        if journal == nil { outputs.topics.append(layout.journalSpecification(user)) }
        outputs.append(
            feedEntry(content, after: journal, by: device, epoch, writer), to: layout.journal(user), isJournal: true)
        journal = writer.name
    }

    private mutating func append(
        _ content: FeedEntry.Entry, toFeedAt index: Int, by device: DeviceID?, _ epoch: DeviceEpoch?,
        _ writer: FeedWriter, _ outputs: inout DeliveryOutputs
    ) {
        let feed = layout.feed(devices[index].id, devices[index].epoch)
        outputs.append(
            feedEntry(content, after: devices[index].last, by: device, epoch, writer), to: feed, isJournal: false)
        devices[index].last = writer.name
    }

    private func feedEntry(
        _ content: FeedEntry.Entry, after predecessor: SourcePosition?, by device: DeviceID?, _ epoch: DeviceEpoch?,
        _ writer: FeedWriter
    ) -> FeedEntry {
        FeedEntry(
            source: SourcePositionMessage(writer.name), predecessor: predecessor.map { SourcePositionMessage($0) },
            user: user.rawValue, time: writer.time.milliseconds, device: device?.rawValue, epoch: epoch?.rawValue,
            entry: content)
    }
}
