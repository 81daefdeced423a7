package import CloudModel
package import RecordStore

extension RecordService {
    /// Makes a courier for the caller's notifications from now on, in the place of the one that was asked least
    /// recently where there are too many.
    /// - Parameters:
    ///   - kind: the courier that its pushes are for.
    ///   - platform: what its device is listed as.
    /// - Returns: its address, good for `Limits.courierSeconds`.
    package func makeCourier(
        _ kind: CourierKind, platform: String, _ environment: APNSEnvironment, client: DeviceID?, for caller: Caller
    ) async throws -> CourierAddress {
        let user = try caller.signedIn(to: "a push token")
        let time = now()
        let expires = Timestamp(milliseconds: time.milliseconds + Int64(Limits.courierSeconds) * 1000)
        let device = try await commit(in: .user(user)) { commit in
            let transaction = commit.transaction
            let couriers = try transaction.couriers(of: user)
            let ended = couriers.filter { $0.expires <= commit.serviceTime }
            let live = couriers.filter { $0.expires > commit.serviceTime }
            for courier in ended + live.prefix(max(0, live.count - Limits.couriersPerUserMax + 1)) {
                try commit.removeDevice(courier.device)
            }
            let device = try commit.addDevice(
                DeviceID(trusted: UniqueName.make()), of: user, name: client?.rawValue ?? "", platform: platform,
                courier: kind)
            try transaction.save(
                StoredCourier(
                    device: device.id, client: client, apnsEnvironment: environment,
                    expires: commit.serviceTime.advanced(by: .seconds(Limits.courierSeconds))))
            return device
        }
        return CourierAddress(user: user, device: device.id, epoch: device.epoch, expires: expires)
    }

    /// Takes the address of the caller's own courier, which is registered since it was made; a client may name itself.
    /// - Parameter address: nil for a token that is none of a web courier.
    /// - Throws: `BAD_REQUEST` for none, and for another user's.
    package func registerCourier(
        _ address: CourierAddress?, _ environment: APNSEnvironment, client: DeviceID?, for caller: Caller
    ) async throws {
        let user = try caller.signedIn(to: "a push token")
        guard let address, address.user == user else {
            throw CloudError.badRequest(
                "apnsToken is no token that tokens/create gave to this user, and none of APNs in hexadecimal")
        }
        let time = try await serviceTime()
        try await store.write(in: .user(user)) { [self] transaction in
            var (stored, _) = try courier(address, at: time, transaction)
            guard stored.apnsEnvironment == environment else {
                throw CloudError.badRequest("the token was made for \(stored.apnsEnvironment), not for \(environment)")
            }
            guard let client, stored.client != client else { return }
            stored.client = client
            try transaction.save(stored)
        }
    }

    /// Returns the courier at an address, once delivery knows its device.
    /// - Throws: `BAD_REQUEST` when its time is over, `NOT_FOUND` when it was removed, `TRY_AGAIN_LATER` when delivery
    ///   is more than 10 s behind.
    package func courier(_ address: CourierAddress) async throws -> CourierPlace {
        let time = try await serviceTime()
        let (stored, device) = try await store.read { [self] reader in try courier(address, at: time, reader) }
        try await deliveries.waitUntilApplied(
            CommitSequence(device.epoch.rawValue), of: device.user, atMost: .seconds(10))
        return CourierPlace(device: device, client: stored.client, token: stored.token)
    }

    /// Notes that a courier has delivered the notifications before a change token.
    /// - Returns: false if another poll has moved the position: that poll delivers them.
    package func advance(_ courier: CourierPlace, to token: String) async throws -> Bool {
        guard courier.token != token else { return true }
        return try await store.write(in: .user(courier.device.user)) { transaction in
            guard var stored = try transaction.courier(courier.device.id),
                try transaction.device(courier.device.id)?.device.epoch == courier.device.epoch,
                stored.token == courier.token
            else { return false }
            stored.token = token
            try transaction.save(stored)
            return true
        }
    }

    /// Removes the web couriers of a user, and ends pushes to the user's addresses, in the transaction that ends the
    /// user's sessions. A sign-out removes the addresses: apps register them again. A block keeps them in the store
    /// alone, until the user is let in again.
    @Sendable package func sessionsEnded(
        of user: UserRecordName, by end: SessionsEnd, at time: Timestamp, _ transaction: any StoreTransaction
    ) throws {
        let commit = commit(transaction, at: time, try serviceClock.time(now(), from: transaction))
        for courier in try transaction.couriers(of: user) { try commit.removeDevice(courier.device) }
        for address in try transaction.pushAddresses(of: user) {
            switch end {
            case .signOut: try commit.removeAddress(address)
            case .block: try commit.withdraw(address)
            case .unblock: try commit.restore(address)
            }
        }
    }

    /// Removes couriers whose time is over, with their feeds.
    package func removeEndedCouriers() async throws {
        try await commit(in: .whole) { commit in
            for courier in try commit.transaction.endedCouriers(before: commit.serviceTime, limit: 1000) {
                try commit.removeDevice(courier.device)
            }
        }
    }

    /// The courier at an address. Its time counts by the service clock: a wrong calendar ends none.
    private func courier(
        _ address: CourierAddress, at time: Timestamp, _ reader: some CourierReader & StoreReader
    ) throws -> (StoredCourier, Device) {
        guard let stored = try reader.courier(address.device), let device = try reader.device(address.device)?.device,
            device.epoch == address.epoch
        else {
            throw CloudError(.notFound, "the web courier was removed; ask tokens/create for another")
        }
        guard stored.expires > time else {
            throw CloudError.badRequest("the address of the web courier has ended; ask tokens/create for another")
        }
        return (stored, device)
    }
}
