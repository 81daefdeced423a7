package import CloudModel
import HTTPServer
import Identity
import Synchronization
import Telemetry
import Waiting

/// Counts what senders ask for, and refuses those who ask for more than they may.
package final class RateGuard: Sendable {
    /// Counts refusals by their cause: a measure of a while, or answers that are held.
    static let throttled = ThrottledCounters()

    private let limits: RateLimits
    private let users: RateTable<Sender>
    private let credentials: RateTable<String>
    private let addresses: RateTable<ClientAddress>
    private let refused: RateTable<ClientAddress>
    private let clock: @Sendable () -> Double
    private let held = BusyMutex<[String: Int]>([:])

    package init(_ limits: RateLimits, clock: @escaping @Sendable () -> Double = RateGuard.seconds) {
        self.limits = limits
        users = RateTable(limits.user)
        credentials = RateTable(limits.credential)
        addresses = RateTable(limits.address)
        refused = RateTable(RateLimits.Rates(requests: limits.refusedPerSecond))
        self.clock = clock
    }

    /// Lets a request of an address begin, and counts it. The router calls it, before everything else.
    /// - Throws: `THROTTLED`.
    func begin(from address: ClientAddress?) throws(CloudError) {
        guard let address = shared(address) else { return }
        if let wait = addresses.begin(address, now: clock()) {
            throw Self.error("address", wait.measure, wait.seconds)
        }
    }

    /// Lets a request of a known sender begin, and counts it.
    /// - Parameter credential: the API token or key; nil where there is none.
    /// - Throws: `THROTTLED`.
    package func begin(_ sender: Sender, _ credential: String?) throws(CloudError) {
        let now = clock()
        let waits = [
            ("user", users.wait(sender, now: now)),
            ("API token or key", credential.flatMap { credentials.wait($0, now: now) }),
        ]
        for (whose, wait) in waits {
            if let wait { throw Self.error(whose, wait.measure, wait.seconds) }
        }
        users.take(1, .requests, sender, now: now)
        if let credential { credentials.take(1, .requests, credential, now: now) }
    }

    /// Counts what a request took.
    func take(_ amount: Int, _ measure: RateMeasure, _ payer: Payer) {
        guard amount > 0 else { return }
        let (amount, now) = (Double(amount), clock())
        if let sender = payer.sender { users.take(amount, measure, sender, now: now) }
        if let credential = payer.credential { credentials.take(amount, measure, credential, now: now) }
        if let address = shared(payer.address) { addresses.take(amount, measure, address, now: now) }
    }

    /// Checks that an address was not refused too often to be served without good credentials. Counts nothing.
    /// - Throws: `THROTTLED`.
    func checkRefusals(of address: ClientAddress?) throws(CloudError) {
        guard let address = address?.network, let wait = refused.wait(address, now: clock()) else { return }
        throw Self.error("address", .requests, wait.seconds)
    }

    /// Counts a refused request without good credentials.
    /// - Throws: `THROTTLED` when its address sent too many.
    func refuse(_ address: ClientAddress?) throws(CloudError) {
        guard let address = address?.network else { return }
        if let wait = refused.begin(address, now: clock()) { throw Self.error("address", .requests, wait.seconds) }
    }

    /// The network that an address is counted to; nil for this machine, from which proxies and tools speak for many.
    private func shared(_ address: ClientAddress?) -> ClientAddress? {
        address.flatMap { $0.isLocalhost ? nil : $0.network }
    }

    private static func error(_ whose: String, _ measure: RateMeasure, _ seconds: Double) -> CloudError {
        throttled[measure].increment()
        let wait = max(1, min(3600, Int(seconds.rounded(.up))))
        return CloudError(
            .throttled, "too much \(measure.name) of this \(whose) in a while; send less, and again in \(wait) s",
            retryAfterSeconds: wait)
    }

    /// Seconds on a clock that does not go back.
    package static func seconds() -> Double {
        let since = (ContinuousClock.now - start).components
        return Double(since.seconds) + Double(since.attoseconds) * 1e-18
    }

    private static let start = ContinuousClock.now
}

// MARK: Buckets

extension RateGuard {
    /// A request that is held; let go with `end`, once.
    final class Held: Sendable {
        private let guardian: RateGuard
        private let names: [String]
        private let isOver = Atomic(false)

        fileprivate init(_ guardian: RateGuard, _ names: [String]) {
            self.guardian = guardian
            self.names = names
        }

        func end() {
            guard !isOver.exchange(true, ordering: .relaxed) else { return }
            guardian.letGo(names)
        }
    }

    /// Counts a request that may wait for long.
    /// - Parameter credential: the API token or key; nil where there is none.
    /// - Throws: `THROTTLED` when as many of the sender's, or of the token's, are held already.
    func hold(_ sender: Sender, _ credential: String?) throws(CloudError) -> Held {
        var counted: [(name: String, most: Int)] = []
        if limits.heldOfUser > 0 { counted.append((sender.account, limits.heldOfUser)) }
        if let credential, limits.heldOfCredential > 0 { counted.append(("t/\(credential)", limits.heldOfCredential)) }
        let full = held.withLock { held -> Int? in
            for (name, most) in counted where held[name] ?? 0 >= most { return most }
            for (name, _) in counted { held[name, default: 0] += 1 }
            return nil
        }
        if let full {
            Self.throttled.held.increment()
            throw CloudError(
                .throttled,
                "\(full) requests of this sender are held already; close streams and polls that are not read",
                retryAfterSeconds: 10)
        }
        return Held(self, counted.map(\.name))
    }

    /// The number of requests that a sender has held.
    func heldCount(_ sender: Sender) -> Int { held.withLock { $0[sender.account] ?? 0 } }

    private func letGo(_ names: [String]) {
        held.withLock { held in
            for name in names {
                let left = (held[name] ?? 1) - 1
                held[name] = left > 0 ? left : nil
            }
        }
    }
}
