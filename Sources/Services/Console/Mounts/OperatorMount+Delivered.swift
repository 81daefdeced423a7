import CloudJSON
import CloudModel
import Feeds
import JSON
import RecordService
import RecordStore
import WebAPI

extension OperatorMount {
    static let delivered: [OperatorEndpoint] = [
        OperatorEndpoint("feeds/read", .readsPeople) { try await $0.readFeed() },
        OperatorEndpoint("journals/read", .readsPeople) { try await $0.readJournal() },
    ]
}

extension OperatorCall {
    private var report: DeliveredReport {
        DeliveredReport(
            scope.feeds, on: system.log, records.layout,
            hidesPrivate: OperatedSystem.hidesValues(of: .private, in: scope.scope))
    }

    /// The place that the body asks to begin at.
    private func pageStart() throws(CloudError) -> PartitionPage.Start {
        if let offset = try body["offset"]?.integer() { return .offset(offset) }
        if let time = try body["time"]?.integer() { return .time(Timestamp(milliseconds: time)) }
        return .latest
    }

    /// A page of a device's feed.
    fileprivate func readFeed() async throws -> JSONValue {
        let id = try body.required("deviceID").identifier(DeviceID.self)
        guard let stored = try await records.store.read({ try $0.device(id) }) else {
            throw CloudError(.notFound, "there is no device '\(id)'")
        }
        if let epoch = try body["epoch"]?.integer(), epoch != stored.device.epoch.rawValue {
            throw CloudError(.notFound, "the device '\(id)' has no feed of the epoch \(epoch)")
        }
        let identity = scope.feeds.identity(of: stored.device)
        guard var json = try await report.feed(of: identity, from: try pageStart(), limit: try limit()) else {
            throw CloudError(.notFound, "there are no journals")
        }
        if let token = stored.token, let place = try await report.place(of: token) { json["place"] = place }
        return .object(json)
    }

    /// A page of a user's journal.
    fileprivate func readJournal() async throws -> JSONValue {
        let user = try await user()
        var reader: FeedIdentity?
        if let id = try body["deviceID"]?.identifier(DeviceID.self) {
            let stored = try await records.store.read { try $0.device(id) }
            guard let device = stored?.device, device.user == user else {
                throw CloudError(.notFound, "\(user) has no device '\(id)'")
            }
            reader = scope.feeds.identity(of: device)
        }
        let page = try await report.journal(of: user, from: try pageStart(), limit: try limit(), reader: reader)
        guard let page else { throw CloudError(.notFound, "there are no journals") }
        return .object(page)
    }
}
