import CloudModel
import RecordService
import RecordStore
import TestSupport
import Testing

/// Alice has the zone `a` with the records `root`, `child` below it, and `other`.
struct SharingSetting {
    let rig: RecordServiceRig
    let carol = Caller(user: UserRecordName.sample("c"))
    var zone: GivenZone { GivenZone(name: ZoneName(trusted: "a"), owner: rig.alice.user) }

    init(on store: (any RecordStore)? = nil) async throws {
        rig = try await RecordServiceRig(store: store)
        _ = try await rig.zone(.create, "a")
        try await save("root")
        try await save("child", parent: "root")
        try await save("other")
    }

    @discardableResult
    func save(
        _ name: String, parent: String? = nil, _ kind: RecordOperation.Kind = .forceUpdate, as caller: Caller? = nil
    ) async throws -> Outcome {
        var operation = kind == .forceUpdate ? RecordOperation.touch(name) : .on(name, kind)
        if let parent { operation.parent = .some(RecordName(trusted: parent)) }
        let database: DatabaseScope = caller == nil ? .private : .shared
        return try await rig.apply(operation, in: database, zone: zone, as: caller)
    }

    @discardableResult
    func share(
        _ people: [(Caller, Share.Permission)], of root: String? = nil, open: Share.Permission = .none
    ) async throws -> Outcome {
        var operation = RecordOperation.on(root.map { "share-\($0)" } ?? "cloudkit.zoneshare", .forceUpdate)
        operation.recordType = .share
        operation.share = GivenShare(
            root: root.map { RecordName(trusted: $0) }, publicPermission: open,
            participants: people.map { GivenShare.Participant(user: $0.user!, permission: $1) })
        return try await rig.apply(operation, in: .private, zone: zone)
    }

    func accept(_ share: Outcome, as caller: Caller) async throws -> CloudErrorCode? {
        let guid = try #require(share.record?.shareDetails?.shortGUID)
        switch try await rig.service.acceptShares([guid], for: caller)[0] {
        case .success: return nil
        case .failure(let error): return error.code
        }
    }

    func sees(_ name: String, _ caller: Caller) async throws -> Bool {
        do {
            return try await rig.lookUp(name, in: .shared, zone: zone, as: caller) != nil
        } catch let error as CloudError where error.code == .zoneNotFound {
            return false
        }
    }

    /// What a query for all records finds in the shared database, a record a page.
    func found(_ zones: RecordQuery.Zones, _ caller: Caller) async throws -> [String] {
        var names: [String] = []
        var marker: String?
        repeat {
            let page = try await rig.service.queryRecords(
                RecordQuery(
                    query: GivenQuery(recordType: RecordType(trusted: "T"), filters: []), zones: zones, limit: 1,
                    marker: marker), in: .shared, markers: QueryMarkers(rig.keys), for: caller)
            names += page.records.map(\.name.rawValue)
            marker = page.marker
        } while marker != nil
        return names
    }

    func sharedChanges(_ caller: Caller, since token: String? = nil) async throws -> RecordService.DatabaseFeedPage {
        try await rig.service.databaseChanges(since: token, in: .shared, for: caller)
    }

    func page(_ caller: Caller, since token: String? = nil) async throws -> ZoneFeedPage {
        try await rig.page(zone, since: token, in: .shared, as: caller)
    }
}
