package import CloudMessages
package import CloudModel
import Cryptography
package import EventLog
import ProtocolBuffers

/// One push to each address of a device, sent by hand, for operators who set a provider up. Nothing is stored.
package struct PushTrial: Sendable {
    /// The fate of the push to one address.
    package struct Result: Sendable {
        package var kind: CourierKind
        package var user: UserRecordName
        /// The time of the registration.
        package var registered: Timestamp
        /// The host that it was sent to; nil where nothing was sent.
        package var line: String?
        /// The ID that the provider was given.
        package var id: PushID?
        /// Nil where no provider of the kind is set up.
        package var outcome: PushOutcome?
    }

    private let container: ContainerIdentifier
    private let providers: [any PushProvider]
    private let open: PushAddressTable.Open

    package init(
        container: ContainerIdentifier, providers: [any PushProvider], open: @escaping PushAddressTable.Open
    ) {
        self.container = container
        self.providers = providers
        self.open = open
    }

    /// Sends one push to each of a device's addresses.
    /// - Returns: a result for each.
    /// - Throws: errors of opening where the key ring is another one.
    package func run(_ entries: [PushAddressEntry], now: Timestamp) async throws -> [Result] {
        var results: [Result] = []
        for entry in entries {
            let (user, device) = (UserRecordName(trusted: entry.user), DeviceID(trusted: entry.device))
            let kind = CourierKind(entry.kind)
            var result = Result(kind: kind, user: user, registered: Timestamp(milliseconds: entry.registered))
            if let provider = providers.first(where: { $0.kind == kind }) {
                let address = try open(entry.sealed, user, device, kind)
                let push = self.push(to: address, of: user, device, DeviceEpoch(entry.epoch), now)
                result.line = provider.line(of: address)
                result.id = push.id
                result.outcome = await provider.send(push)
            }
            results.append(result)
        }
        return results
    }

    /// The addresses that a device has in `push-addresses`, by kind.
    package static func entries(
        of device: DeviceID, on log: any EventLog, _ layout: TopicLayout
    ) async throws -> [PushAddressEntry] {
        var found: [[UInt8]: PushAddressEntry] = [:]
        for partition in 0..<layout.partitions {
            try await log.readToEnd(of: TopicPartition(layout.pushAddresses, partition)) { entry in
                guard let key = entry.key, TopicLayout.pushAddress(ofKey: key)?.device == device else { return }
                found[key] = entry.value.flatMap { try? PushAddressEntry(decoding: $0) }
            }
        }
        return found.values.sorted { $0.kind < $1.kind }
    }

    private func push(
        to address: PushAddress, of user: UserRecordName, _ device: DeviceID, _ epoch: DeviceEpoch, _ now: Timestamp
    ) -> OutgoingPush {
        let source = SourcePosition(
            source: SourceID(origin: "push-test", incarnation: 0, partition: 0), offset: now.milliseconds)
        let payload = PushPayload(
            id: "", container: container,
            subscription: SubscriptionKey(user: user, database: .private, id: SubscriptionID(trusted: "push-test")),
            detail: .zone(ZoneID(name: .defaultZone, owner: user)),
            appearance: Appearance(alert: AlertText("A test push of Fanfare")), badge: nil)
        return OutgoingPush(
            id: PushID(of: source, to: device, epoch, kind: address.kind), address: address, payload: payload,
            isVisible: true, expires: Timestamp(milliseconds: now.milliseconds + 3_600_000))
    }
}
