import CloudMessages
import CloudModel
import EventLog
import RecordStore

extension StoreRepair {
    /// Makes the topic `push-addresses` agree with the store: all addresses are published again, and those that the
    /// store does not know, or whose user is blocked, are removed.
    /// - Returns: the numbers of published and removed addresses.
    package func publishAddresses() async throws -> (published: Int, removed: Int) {
        var present = try await addressesInTopic()
        var published = 0
        var last: DeviceID?
        while true {
            let after = last
            let stored = try await service.store.read { try $0.pushAddresses(after: after, limit: step) }
            guard let end = stored.last else { break }
            last = end.device
            let keys = try await service.commit { commit in
                var keys: [[UInt8]] = []
                for id in Set(stored.map(\.device)).sorted() {
                    guard let device = try commit.transaction.device(id)?.device,
                        try !commit.isBlocked(device.user)
                    else { continue }
                    for address in try commit.transaction.pushAddresses(of: id) {
                        try commit.republish(address, of: device)
                        keys.append(commit.layout.pushAddressKey(device.user, id, address.kind))
                    }
                }
                return keys
            }
            present.subtract(keys)
            published += keys.count
        }
        let lost = present.sorted { $0.lexicographicallyPrecedes($1) }
        for start in stride(from: 0, to: lost.count, by: step) {
            try await service.commit { commit in
                for key in lost[start..<min(start + step, lost.count)] {
                    try commit.append(.pushAddresses, try commit.transaction.nextSequence(), key, nil)
                }
            }
        }
        return (published, lost.count)
    }

    /// The keys of the addresses that the topic has.
    private func addressesInTopic() async throws -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for number in 0..<service.layout.partitions {
            let partition = TopicPartition(service.layout.pushAddresses, number)
            try await log.readToOwnEntry(of: partition, key: TopicLayout.readerKey) { entry in
                guard let key = entry.key, TopicLayout.pushAddress(ofKey: key) != nil else { return }
                if entry.value == nil { keys.remove(key) } else { keys.insert(key) }
            }
        }
        return keys
    }
}
