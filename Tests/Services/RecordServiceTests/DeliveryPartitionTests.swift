import CloudMessages
import CloudModel
import EventLog
import TestSupport
import Testing

@testable import RecordService

/// Backpressure by partition: a save is refused where its changes or its hits would go to a partition that is behind,
/// and nowhere else.
@Suite struct DeliveryPartitionTests {
    /// A service whose log has partitions that are behind.
    private struct Setting {
        let rig: RecordServiceRig
        var layout: TopicLayout { rig.service.layout }
        var deliveries: [TopicPartition] { partitions(of: layout.deliveries) }

        init() async throws { rig = try await RecordServiceRig() }

        func partitions(of topic: TopicName) -> [TopicPartition] {
            (0..<layout.partitions).map { TopicPartition(topic, $0) }
        }

        func own(_ caller: Caller) -> TopicPartition { layout.deliveries(of: caller.user!) }

        /// The partition of changes of a record in the default zone of the public database.
        func changes(_ name: String) -> TopicPartition {
            let key = Array("\(ZoneName.defaultZone)\u{0}\(name)".utf8)
            return TopicPartition(layout.changes(.public), layout.partition(of: key))
        }

        /// Lets time pass in which some partitions do nothing, and the others everything that they have.
        func stand(_ standing: [TopicPartition], for seconds: Int = 601, waiting: Int64 = 10) {
            let all = deliveries + DatabaseScope.allCases.flatMap { partitions(of: layout.changes($0)) }
            let start = ContinuousClock.now
            for (place, second) in [0, seconds / 2, seconds].enumerated() {
                let ends = Dictionary(uniqueKeysWithValues: all.map { ($0, waiting + Int64(place)) })
                let done = Dictionary(
                    uniqueKeysWithValues: all.map { ($0, standing.contains($0) ? 0 : waiting + Int64(place)) })
                rig.service.deliveryWatch.learn(ends: ends, done: done, at: start + .seconds(second))
            }
        }

        /// The outcome of saving records, a name each, or names that the service gives.
        func save(
            _ names: [String?], in database: DatabaseScope = .public, zone: GivenZone = .default, as caller: Caller
        ) async throws -> CloudErrorCode? {
            do {
                let results = try await rig.service.modifyRecords(
                    names.map { .on($0, $0 == nil ? .create : .forceUpdate) }, in: database, zone: zone,
                    isAtomic: false,
                    for: caller)
                for case .failed(_, let error) in results { return error.code }
                return nil
            } catch let error as CloudError {
                return error.code
            }
        }
    }

    @Test("a partition of deliveries that stands refuses the saves of its own users and of nobody else")
    func standingDeliveries() async throws {
        let setting = try await Setting()
        let (alice, bob) = (setting.rig.alice, setting.rig.bob)
        try #require(setting.own(alice) != setting.own(bob))
        setting.stand([setting.own(alice)])
        for database in [DatabaseScope.public, .private] {
            #expect(try await setting.save(["a"], in: database, as: alice) == .throttled)
            #expect(try await setting.save(["b"], in: database, as: bob) == nil)
        }
        setting.stand([])
        #expect(try await setting.save(["a"], as: alice) == nil)
    }

    @Test("a partition of public changes that stands refuses the records of its own, and a whole request with one")
    func standingChanges() async throws {
        let setting = try await Setting()
        let alice = setting.rig.alice
        let names = (0..<40).map { "r\($0)" }
        let standing = setting.changes("r0")
        let (there, elsewhere) = (
            names.filter { setting.changes($0) == standing }, names.filter { setting.changes($0) != standing }
        )
        setting.stand([standing])
        #expect(try await setting.save(elsewhere, as: alice) == nil)
        #expect(try await setting.save([elsewhere[0], there[0]], as: alice) == .throttled)
        #expect(try await setting.rig.lookUp(there[0]) == nil)
        #expect(try await setting.save(there, in: .private, as: alice) == nil)
        // Of so many names that the service gives, one is there.
        #expect(try await setting.save(Array(repeating: nil, count: 200), as: alice) == .throttled)
        let saved = try await setting.rig.changes().compactMap { $0.after?.name.rawValue }
        #expect(Set(saved) == Set(elsewhere + there) && saved.count == names.count)
    }

    @Test("what a deletion takes with it counts as what it names")
    func cascades() async throws {
        let setting = try await Setting()
        let alice = setting.rig.alice
        let child = try #require((0..<40).map { "c\($0)" }.first { setting.changes($0) != setting.changes("root") })
        _ = try await setting.rig.apply(.on("root", .create))
        _ = try await setting.rig.apply(.on(child, .create, ["up": reference("root", .deleteSelf)]))
        setting.stand([setting.changes(child)])
        await #expect(throws: CloudError.self) { try await setting.rig.apply(.on("root", .forceDelete)) }
        #expect(try await setting.save(["root"], as: alice) == nil)
    }

    @Test("participants of a share are refused where the owner's partition stands, whose hits theirs would be")
    func sharedZones() async throws {
        let setting = try await Setting()
        let (rig, alice, bob) = (setting.rig, setting.rig.alice, setting.rig.bob)
        _ = try await rig.zone(.create, "a")
        let zone = GivenZone(name: ZoneName(trusted: "a"), owner: alice.user)
        var operation = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
        operation.recordType = .share
        operation.share = GivenShare(
            root: nil, publicPermission: Share.Permission.none,
            participants: [GivenShare.Participant(user: bob.user!, permission: .readWrite)])
        let share = try await rig.apply(operation, in: .private, zone: zone)
        let guid = try #require(share.record?.shareDetails?.shortGUID)
        _ = try await rig.service.acceptShares([guid], for: bob)
        for standing in [
            setting.own(alice), TopicPartition(setting.layout.changes(.shared), setting.own(alice).partition),
        ] {
            setting.stand([standing])
            #expect(try await setting.save(["x"], in: .shared, zone: zone, as: bob) == .throttled)
            #expect(try await setting.save(["y"], in: .private, as: bob) == nil)
            #expect(try await setting.save(["x"], in: .private, zone: zone, as: alice) == .throttled)
        }
        // A private record that is not shared makes no change of the shared database.
        #expect(try await setting.save(["z"], in: .private, as: alice) == nil)
    }

    @Test("while all partitions of deliveries are behind, nothing is saved for the public database")
    func allStand() async throws {
        let setting = try await Setting()
        setting.stand(setting.deliveries)
        for caller in [setting.rig.alice, setting.rig.bob] {
            #expect(try await setting.save(["r"], as: caller) == .throttled)
        }
    }
}
