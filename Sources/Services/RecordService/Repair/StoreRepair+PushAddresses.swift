import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

extension StoreRepair {
    /// Makes the topic `push-addresses` agree with the store: addresses are published again under their own sequences,
    /// and those that the store does not know, or whose user is blocked, are removed.
    ///
    /// The addresses are written into the topic here, while no stage runs. A relay begins by saying that all events
    /// before its first row are in the topic, so that rows of the outbox would come too late: a push to an older
    /// registration would be dropped, as it seems to have no address.
    /// - Returns: the numbers of published and removed addresses.
    package func publishAddresses() async throws -> (published: Int, removed: Int) {
        var present = try await addressesInTopic()
        // Rows of later registrations wait in the outbox for the end of the repair.
        let end = try await service.store.read { try $0.settledSequence() }
        var published = 0
        try await log.withWriter { writer in
            var last: DeviceID?
            while true {
                let after = last
                let (stored, known) = try await service.store.read { reader in
                    let stored = try reader.pushAddresses(after: after, limit: step)
                    return (stored, try stored.compactMap { try row(of: $0, reader) })
                }
                guard let final = stored.last else { break }
                last = final.device
                let rows = known.filter { $0.sequence <= end }
                try await writer.append(rows.flatMap { entries($0, inPlaceOf: present[$0.key]) })
                for row in known { present[row.key] = nil }
                published += rows.count
            }
        }
        let lost = present.keys.sorted { $0.lexicographicallyPrecedes($1) }
        for start in stride(from: 0, to: lost.count, by: step) {
            try await service.commit(in: .whole) { commit in
                for key in lost[start..<min(start + step, lost.count)] {
                    try commit.append(.pushAddresses, try commit.transaction.nextSequence(), key, nil)
                }
            }
        }
        return (published, lost.count)
    }

    /// The entry of an address. A registration of a future that the store has lost is removed before it, as readers take
    /// no older one in its place.
    private func entries(_ row: OutboxRow, inPlaceOf present: CommitSequence?) -> [OutgoingEntry] {
        let entry = OutboxRelay(store: service.store, layout: service.layout, log: log).entry(row)
        guard let present, present > row.sequence else { return [entry] }
        return [OutgoingEntry(entry.partition, key: row.key, value: nil, timestamp: entry.timestamp), entry]
    }

    /// The row that publishes an address under its own sequence; nil for one of a blocked user.
    private func row(of address: StoredPushAddress, _ reader: any StoreReader) throws -> OutboxRow? {
        guard let device = try reader.device(address.device)?.device,
            try reader.account(of: device.user)?.isBlocked != true
        else { return nil }
        return OutboxRow(
            sequence: address.sequence, destination: .pushAddresses,
            key: service.layout.pushAddressKey(device.user, device.id, address.kind),
            value: PushAddressEntry(address, of: device, in: service.store.incarnation).encoded(),
            time: address.registered)
    }

    /// The addresses that the topic has, with the sequences of this store's.
    private func addressesInTopic() async throws -> [[UInt8]: CommitSequence] {
        var present: [[UInt8]: CommitSequence] = [:]
        for number in 0..<service.layout.partitions {
            let partition = TopicPartition(service.layout.pushAddresses, number)
            try await log.readToOwnEntry(of: partition, key: TopicLayout.readerKey) { entry in
                guard let key = entry.key, TopicLayout.pushAddress(ofKey: key) != nil else { return }
                guard let value = entry.value else { return present[key] = nil }
                let name = try? PushAddressEntry(decoding: value).source?.position
                present[key] =
                    name?.source == .store(service.store.incarnation) ? CommitSequence(name?.offset ?? 0) : .zero
            }
        }
        return present
    }
}
