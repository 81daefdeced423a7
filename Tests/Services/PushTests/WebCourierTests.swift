import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Synchronization
import TestSupport
import Testing

@testable import Push

/// The web courier's tokens, and those who wait at its addresses.
@Suite struct WebCourierTests {
    private static let keys = KeyRing.generate()
    private let courier = WebCourier(keys, scope: Pushed.layout.scope)
    private let address = CourierAddress(
        user: Pushed.user, device: DeviceID(trusted: "browser"), epoch: DeviceEpoch(3),
        expires: Timestamp(milliseconds: 77))

    private func push(_ device: String, epoch: Int64 = 3) -> Push {
        Push(
            source: SourcePosition(source: .store(7), offset: 1), courier: WebCourier.kind, since: nil,
            device: DeviceID(trusted: device), epoch: DeviceEpoch(epoch), origin: nil,
            notification: Pushed.notification(.query))
    }

    @Test("a token leads to its address, in its container and environment only")
    func tokens() {
        let token = courier.token(of: address)
        #expect(courier.address(of: token) == address)
        #expect(courier.address(of: token + "A") == nil && courier.address(of: "x") == nil)
        let production = ContainerEnvironment(container: Pushed.layout.scope.container, environment: .production)
        #expect(WebCourier(Self.keys, scope: production).address(of: token) == nil)
        #expect(Couriers(Self.keys, scope: Pushed.layout.scope).address(of: token) == address)
        #expect(WebCourier(KeyRing.generate(), scope: Pushed.layout.scope).address(of: token) == nil)
    }

    @Test("a waiting poll reads at once after each push for its device, and never for others'")
    func waking() async throws {
        try await within {
            let looks = Mutex(0)
            async let found = courier.next(at: address, until: .now + .seconds(600)) {
                looks.withLock { looks in
                    looks += 1
                    return looks == 3 ? "payload" : nil
                }
            }
            try await eventually("the first look") { looks.withLock { $0 } == 1 }
            await courier.deliver(push("other"))
            await courier.deliver(push("browser", epoch: 4))
            #expect(looks.withLock { $0 } == 1)
            // Between a look and the wait for the next push a push may fall: it is noticed.
            await courier.deliver(push("browser"))
            try await eventually("the second look") { looks.withLock { $0 } == 2 }
            await courier.deliver(push("browser"))
            #expect(try await found == "payload")
        }
    }

    @Test("when the time is over it looks once more, and then says that there is nothing")
    func deadline() async throws {
        var looks = 0
        let found: String? = try await courier.next(at: address, until: .now) {
            looks += 1
            return nil
        }
        #expect(found == nil && looks == 1)
        looks = 0
        let late = try await courier.next(at: address, until: .now + .seconds(1)) {
            looks += 1
            return looks == 2 ? "late" : nil
        }
        #expect(late == "late", "what came without a push is found at the end")
    }

    @Test("a wait ends with its task, and a failed look with its error")
    func ends() async throws {
        try await within {
            let hasLooked = Mutex(false)
            let waiting = Task {
                try await courier.next(at: address, until: .now + .seconds(600)) { () -> String? in
                    hasLooked.withLock { $0 = true }
                    return nil
                }
            }
            try await eventually("the look") { hasLooked.withLock { $0 } }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            await #expect(throws: CloudError.self) {
                try await courier.next(at: address, until: .now + .seconds(600)) { () -> String? in
                    throw CloudError(.notFound, "gone")
                }
            }
        }
    }
}
