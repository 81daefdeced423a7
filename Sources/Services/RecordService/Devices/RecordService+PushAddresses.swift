package import CloudMessages
package import CloudModel
import Cryptography
import RecordStore
import Telemetry

extension RecordService {
    /// Registers the address to which pushes for one of the caller's devices are sent, in place of the device's former
    /// one of its kind. A token or endpoint is one device's at a time: a device that had it before loses it.
    /// - Parameter address: a webhook without a secret keeps the one that it has for the same URL, or gets one.
    /// - Returns: the kinds of addresses that the device has now, and the secret that was made for a webhook.
    package func registerPush(
        _ address: PushAddress, contents: PushContents = .full, on id: DeviceID, for caller: Caller
    ) async throws -> (kinds: [CourierKind], secret: [UInt8]?) {
        try PushAddressRules.check(address, options.refusalOfURL)
        return try await commit(in: caller.part) { [addressSeals] commit in
            let device = try commit.seenDevice(id, of: caller)
            guard try commit.transaction.courier(id) == nil else {
                throw CloudError.badRequest("the device '\(id)' is a web courier, which has no other address")
            }
            var address = address
            var secret: [UInt8]?
            if case .webhook(var hook) = address, hook.secrets.isEmpty {
                let former = try commit.transaction.pushAddresses(of: id).first { $0.kind == .webhook }
                let known = former.flatMap { try? addressSeals.open($0.sealed, of: device.user, id, $0.kind).address }
                if case .webhook(let known)? = known, known.url == hook.url {
                    hook.secrets = known.secrets
                } else {
                    let made = SecureRandom.bytes(count: Self.secretBytes)
                    secret = made
                    hook.secrets = [made]
                }
                address = .webhook(hook)
            }
            try commit.setAddress(address, contents, of: device, addressSeals)
            return (try Self.kinds(of: id, commit.transaction), secret)
        }
    }

    /// Removes the address of a kind from one of the caller's devices, if it has one.
    /// - Returns: the kinds that it has now.
    package func removePush(
        _ kind: CourierKind, on id: DeviceID, for caller: Caller
    ) async throws -> [CourierKind] {
        try await commit(in: caller.part) { commit in
            _ = try commit.seenDevice(id, of: caller)
            for address in try commit.transaction.pushAddresses(of: id) where address.kind == kind {
                try commit.removeAddress(address)
            }
            return try Self.kinds(of: id, commit.transaction)
        }
    }

    /// Removes the address of a kind from a device, for an operator: the device does not count as seen by it.
    /// - Returns: the device's user.
    /// - Throws: `NOT_FOUND` for a device without one.
    package func removePush(_ kind: CourierKind, on id: DeviceID) async throws -> UserRecordName {
        try await commit(in: .whole) { commit in
            let address = try commit.transaction.pushAddresses(of: id).first { $0.kind == kind }
            guard let address, let stored = try commit.transaction.device(id) else {
                throw CloudError(.notFound, "the device '\(id)' has no address of the kind \(kind)")
            }
            try commit.removeAddress(address)
            return stored.device.user
        }
    }

    /// The addresses of a device as `push-addresses` has them, by kind.
    package func pushAddressEntries(of id: DeviceID) async throws -> [PushAddressEntry] {
        let incarnation = store.incarnation
        return try await store.read { reader in
            guard let stored = try reader.device(id) else { return [] }
            return try reader.pushAddresses(of: id).map { PushAddressEntry($0, of: stored.device, in: incarnation) }
        }
    }

    /// The webhooks of a user's devices, with their URLs.
    package func webhooks(of user: UserRecordName) async throws -> [ListedWebhook] {
        try await store.read { [addressSeals] reader in
            try reader.pushAddresses(of: user).filter { $0.kind == .webhook }.map { stored in
                let opened = try? addressSeals.open(stored.sealed, of: user, stored.device, .webhook).address
                guard case .webhook(let hook)? = opened else { return ListedWebhook(url: nil, stored: stored) }
                return ListedWebhook(url: hook.url, stored: stored)
            }
        }
    }

    /// Removes an address that its provider called dead, unless another one was registered since.
    /// - Parameter remember: stores the position of the command in the same transaction.
    func removeDeadAddress(
        _ removal: RemovePushAddress, remember: @escaping @Sendable (any StoreTransaction) throws -> Void
    ) async throws {
        let isRemoved = try await commit(in: .whole) { commit in
            try remember(commit.transaction)
            let stored = try commit.transaction.pushAddresses(of: DeviceID(trusted: removal.device)).first {
                $0.kind == CourierKind(removal.kind) && $0.sequence == CommitSequence(removal.sequence)
            }
            guard let stored else { return false }
            try commit.removeAddress(stored)
            return true
        }
        if isRemoved { Log.info("push.address.removed", ["kind": removal.kind, "reason": removal.reason]) }
    }

    private static let secretBytes = 32

    private static func kinds(of id: DeviceID, _ reader: some PushAddressReader) throws -> [CourierKind] {
        let kinds = try reader.pushAddresses(of: id).map(\.kind)
        return CourierKind.addressed.filter(kinds.contains)
    }
}
