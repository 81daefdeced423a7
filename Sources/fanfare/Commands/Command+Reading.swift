import CloudMessages
import CloudModel
import Console
import Cryptography
import EventLog
import Feeds
import JSON
import RecordStore
import Settings
import Waiting

/// Commands that show entries of the log as operators read them. They move no position and write nothing.
extension Command {
    private static let reading: [SettingGroup] = [.common, .containers, .store, .log, .target, .reading, .listing]

    static let changesRead = Command(
        name: "changes read",
        usage:
            "changes read --database NAME \(LogCommand.usage) [--partition N [--offset N]] [--time TIME] [--limit N] [--value-bytes N] [--json]",
        summary: "shows changes with the record before and after: the latest, or those from an offset or a time on",
        settings: reading
    ) { reading in
        try await show(reading.configuration) { log, configuration in
            let asked = configuration.reading
            var start = ChangePage.Start.latest
            if let time = Timestamp(iso8601: asked.time) { start = .time(time) }
            if asked.offset >= 0 {
                guard asked.partition >= 0 else { throw SettingsError("--partition says of which one --offset is") }
                start = .offsets([Int32(asked.partition): Int64(asked.offset)])
            }
            return try await changes(log, configuration).page(
                from: start, partition: asked.partition < 0 ? nil : Int32(asked.partition), limit: asked.limit)
        }
    }

    static let recordsHistory = Command(
        name: "records history",
        usage:
            "records history --database NAME --record NAME \(LogCommand.usage) [--zone NAME] [--user OWNER] [--before OFFSET] [--limit N] [--value-bytes N] [--json]",
        summary: "shows the kept changes of one record, the latest first",
        settings: reading
    ) { reading in
        try await show(reading.configuration) { log, configuration in
            let asked = configuration.reading
            let database = try database(asked)
            guard database == .public || !asked.user.isEmpty else {
                throw SettingsError("--user names the owner of the zone, outside the public database")
            }
            let zone = ZoneID(
                name: asked.zone.isEmpty ? .defaultZone : try ZoneName(asked.zone),
                owner: database == .public ? .defaultOwner : try UserRecordName(asked.user))
            return try await changes(log, configuration, valueBytesMax: 4096).history(
                of: try RecordName(asked.record), in: zone, before: asked.before < 0 ? nil : Int64(asked.before),
                limit: asked.limit)
        }
    }

    static let feedsRead = Command(
        name: "feeds read",
        usage: "feeds read --device ID \(LogCommand.usage) [--offset N] [--time TIME] [--limit N] [--json]",
        summary: "shows a device's feed by offset, with the change token of each place; moves no token",
        settings: reading
    ) { reading in
        try await show(reading.configuration) { log, configuration in
            let (id, keys) = (
                try DeviceID(configuration.reading.device), try Backends.keys(configuration, mayMake: false)
            )
            let layout = Backends.layout(configuration, try configuration.target)
            let identity = try await LogFeed(log: log, layout: layout, keys: keys)
                .identity(of: id, inJournal: true)
            return try await withReport(of: identity.user, on: log, layout, keys) { report in
                guard
                    var json = try await report.feed(
                        of: identity, from: start(configuration.reading), limit: configuration.reading.limit)
                else { throw CloudError(.notFound, "the device '\(id)' has no feed") }
                if let token = try await token(of: id, configuration), let place = try await report.place(of: token) {
                    json["place"] = place
                }
                return json
            }
        }
    }

    /// The token that a device asked with last; nil where there is none, or no store.
    private static func token(of device: DeviceID, _ configuration: Configuration) async throws -> String? {
        guard let store = try LogCommand.store(configuration) else { return nil }
        return try await Task.closing({ await store.close() }) {
            try await store.read { try $0.device(device) }?.token
        }
    }

    static let journalsRead = Command(
        name: "journals read",
        usage: "journals read --user USER \(LogCommand.usage) [--offset N] [--time TIME] [--limit N] [--json]",
        summary: "shows a user's journal by offset",
        settings: reading
    ) { reading in
        try await show(reading.configuration) { log, configuration in
            let user = try UserRecordName(configuration.reading.user)
            let keys = try Backends.keys(configuration, mayMake: false)
            let layout = Backends.layout(configuration, try configuration.target)
            return try await withReport(of: user, on: log, layout, keys) { report in
                let page = try await report.journal(
                    of: user, from: start(configuration.reading), limit: configuration.reading.limit)
                guard let page else {
                    throw CloudError(.notFound, "there are no journals: 'fanfare topics init' makes their topic")
                }
                return page
            }
        }
    }

    /// Works with a report of the journal of one user, which is read into memory first.
    private static func withReport(
        of user: UserRecordName, on log: any EventLog, _ layout: TopicLayout, _ keys: KeyRing,
        _ body: (DeliveredReport) async throws -> JSONObject
    ) async throws -> JSONObject {
        try await LogCommand.withJournals(on: log, layout, of: user) { journals in
            let feeds = FeedService(FeedSources(log, layout: layout, journals: journals), keys: keys)
            return try await body(DeliveredReport(feeds, on: log, layout))
        }
    }

    /// Reads a page, and prints it: as one object, or a line an entry.
    private static func show(
        _ configuration: Configuration,
        _ read: @escaping @Sendable (any EventLog, Configuration) async throws -> JSONObject
    ) async throws -> Int32 {
        try await LogCommand.run(configuration) { log, _ in
            do {
                let json = try await read(log, configuration)
                for line in try lines(json, configuration.printing.isJSON) { Output.line(line) }
                return ExitCode.done
            } catch let error as CloudError {
                Output.error(error.reason)
                return ExitCode.failed
            }
        }
    }

    private static func lines(_ json: JSONObject, _ isJSON: Bool) throws -> [String] {
        guard !isJSON else { return [String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self)] }
        return (json["changes"]?.array ?? json["entries"]?.array ?? []).map { row in
            let time = row["time"]?.integer.map { Timestamp(milliseconds: $0).iso8601 } ?? ""
            let place = row["partition"]?.integer.map { "\($0) at " } ?? ""
            let words = ["recordType", "recordName", "subscriptionID", "notificationID", "userRecordName", "deviceID"]
                .compactMap { row[$0]?.string }
            return ([time, "\(place)\(row["offset"]?.integer ?? 0)", row["kind"]?.string ?? ""] + words)
                .joined(separator: "  ")
        }
    }

    private static func database(_ asked: Configuration.Reading) throws -> DatabaseScope {
        guard let database = DatabaseScope(asked.database) else {
            throw SettingsError("--database is public, private or shared")
        }
        return database
    }

    private static func changes(
        _ log: any EventLog, _ configuration: Configuration, valueBytesMax usual: Int? = nil
    ) throws -> ChangesReport {
        let asked = configuration.reading
        return ChangesReport(
            log, Backends.layout(configuration, try configuration.target), try database(asked),
            valueBytesMax: asked.valueBytes == 0 ? usual : asked.valueBytes)
    }

    private static func start(_ asked: Configuration.Reading) -> PartitionPage.Start {
        if asked.offset >= 0 { return .offset(Int64(asked.offset)) }
        return Timestamp(iso8601: asked.time).map { .time($0) } ?? .latest
    }
}

extension Configuration {
    /// `changes read`, `records history`, `feeds read`, `journals read`.
    struct Reading: Sendable {
        var database = ""
        var partition = -1
        var offset = -1
        var before = -1
        var time = ""
        var limit = 200
        var valueBytes = 0
        var record = ""
        var zone = ""
        var user = ""
        var device = ""
    }
}

extension SettingGroup {
    static let readingSettings: [Setting<Configuration>] = [
        Setting("database", \.reading.database, "public, private or shared") { text in
            text.isEmpty || DatabaseScope(text) != nil ? nil : "is public, private or shared, not '\(text)'"
        },
        Setting("partition", \.reading.partition, in: -1...255, "the partition of changes; -1 is all"),
        Setting("offset", \.reading.offset, in: -1 ... .max, "the first offset to read; -1 is none"),
        Setting("before", \.reading.before, in: -1 ... .max, "the offset below which to read; -1 is the end"),
        Setting(
            "time", \.reading.time, "the first entry appended at this time or later, such as 2026-03-01T12:00:00Z"
        ) { text in
            text.isEmpty || Timestamp(iso8601: text) != nil
                ? nil : "is a time such as 2026-03-01T12:00:00Z, not '\(text)'"
        },
        Setting("limit", \.reading.limit, in: 1...Limits.operatorPageMax, "the entries of a page"),
        Setting(
            "value-bytes", \.reading.valueBytes, in: 0...Limits.recordBytesMax,
            "bytes above which values of records are cut; 0 leaves long fields of changes out"),
        Setting("record", \.reading.record, "the record's name"),
        Setting("zone", \.reading.zone, "the record's zone; _defaultZone when absent"),
        Setting("user", \.reading.user, "a user's record name: the owner of a journal, or of a zone"),
        Setting("device", \.reading.device, "the device's ID"),
    ]
}
