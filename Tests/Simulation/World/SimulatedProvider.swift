import CloudMessages
import CloudModel
import EventLog
import JSON
import RecordService
import Stages
import Synchronization
import TextForms

@testable import Push

/// A sender's way to the push services of a history, which fail as the history wants it to.
struct SimulatedProvider: PushProvider {
    let kind: CourierKind
    let world: World
    let port: SimulatedPort
    /// The number of the sender.
    let sender: Int

    /// The sender of a process.
    static func sender(_ world: World, _ port: SimulatedPort, _ check: StartCheck) -> PushSender {
        var settings = PushSenderSettings()
        // Clocks leap, and a push that is dropped for its age is no fault.
        settings.visibleExpiry = .seconds(36_500 * 86_400)
        settings.jitter = { Double(Scheduler.shared.random(below: 100)) / 100 }
        settings.clock = { SenderClock(start: world.now.milliseconds) }
        let number = world.pushes.nextSender()
        let seals = PushAddressSeals(World.keys, scope: world.layout.scope)
        return PushSender(
            log: port, layout: world.layout,
            providers: [.apns, .webPush].map { SimulatedProvider(kind: $0, world: world, port: port, sender: number) },
            payloads: PushPayloads(container: world.layout.scope.container) { "\($0.change.rawValue)" },
            addresses: PushAddressBook(
                log: port, layout: world.layout, open: { try seals.open($0, of: $1, $2, $3).address }),
            missed: MissedInFeeds(log: port, layout: world.layout), settings: settings, check: check)
    }

    // MARK: Addresses

    /// An address of a device, which has its name.
    static func address(of device: DeviceID, isBrowser: Bool) -> PushAddress {
        let name = Array(device.rawValue.utf8)
        guard isBrowser else {
            return .apns(
                APNSAddress(token: name + Array(repeating: 0, count: 40 - name.count), environment: .development))
        }
        return .webPush(
            WebPushAddress(
                endpoint: "https://push.test/\(device)", publicKey: point,
                authentication: Array(repeating: 1, count: 16),
                serverKey: point))
    }

    /// A point on the curve.
    private static let point: [UInt8] = Base64.url.decode(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")!

    private static func device(of address: PushAddress) -> DeviceID? {
        switch address {
        case .apns(let apns): DeviceID(trusted: String(decoding: apns.token.prefix { $0 != 0 }, as: UTF8.self))
        case .webPush(let web): DeviceID(trusted: String(web.endpoint.split(separator: "/").last ?? ""))
        case .webhook: nil
        }
    }

    // MARK: PushProvider

    func line(of address: PushAddress) -> String { "\(kind)" }

    func send(_ push: OutgoingPush) async -> PushOutcome {
        let session = session(of: push)
        await Task.yield()
        let unreachable = PushOutcome.failed(PushFailure(reason: "unreachable"), .line(after: nil))
        // A dead process reaches nobody.
        guard !port.life.isDead, let device = Self.device(of: push.address) else { return unreachable }
        let isHealed = world.pushes.isHealed
        if !isHealed, world.pushes.isAway() { return unreachable }
        let fault = isHealed ? 99 : Scheduler.shared.random(below: 24)
        if fault == 0 { return .failed(PushFailure(reason: "refused"), .atOnce) }
        let payload = push.payload.sent(within: 4096, push.contents, isVisible: push.isVisible)
        let number = world.pushes.take(handed(push, payload, device, session))
        await Scheduler.shared.pass(.milliseconds(100 * Scheduler.shared.random(below: 4)))
        let outcome: PushOutcome
        switch fault {
        case 1:
            await Scheduler.shared.pass(.seconds(10))
            outcome = .failed(PushFailure(reason: "time-out"), .line(after: nil))
        case 2: outcome = .failed(PushFailure(status: 503, reason: "busy"), .line(after: .seconds(2)))
        case 3: outcome = .failed(PushFailure(status: 429, reason: "slow"), .address(after: nil))
        case 4: outcome = .misconfigured(PushFailure(status: 403, reason: "key"))
        case 5 where push.contents == .full: outcome = .tooLarge(PushFailure(status: 413, reason: "large"))
        default: outcome = .accepted(status: 200)
        }
        world.pushes.answer(number, isAccepted: outcome.isAccepted)
        return outcome
    }

    private func session(of push: OutgoingPush) -> SimulatedPushes.Session {
        let user = Self.device(of: push.address).flatMap { World.user(of: $0) }
        let layout = world.layout
        let place = user.map { TopicPartition(layout.pushState, layout.pushes(of: $0).partition) }
        return SimulatedPushes.Session(
            sender: sender,
            takeOver: place.flatMap { place in port.takeOvers.withLock { $0[place] } } ?? 0)
    }

    private func handed(
        _ push: OutgoingPush, _ payload: PushPayload, _ device: DeviceID, _ session: SimulatedPushes.Session
    ) -> SimulatedPushes.Handed {
        let json = try? JSONValue(parsing: payload.bytes)
        let cloud = json?["ck"]
        var subject: SimulatedPushes.Subject?
        if let change = cloud?["nid"]?.text.flatMap({ Int64($0) }),
            let id = (cloud?["qry"] ?? cloud?["met"])?["sid"]?.text
        {
            subject = SimulatedPushes.Subject(change: change, subscription: id)
        }
        var badge: Int64?
        if case .integer(let value)? = json?["aps"]?["badge"] { badge = value }
        var read: [Int64] = []
        if case .array(let values)? = cloud?["read"] { read = values.compactMap { $0.text.flatMap { Int64($0) } } }
        return SimulatedPushes.Handed(
            device: device, kind: kind, id: "\(push.id)", subject: subject, badge: badge,
            hasContents: push.contents == .full, read: read, session: session)
    }
}

extension JSONValue {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
