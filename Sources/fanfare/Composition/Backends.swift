import CloudMessages
import CloudModel
import CrashMarks
import Cryptography
import EventLog
import Feeds
import FileSystem
import KafkaClient
import KafkaLog
import Poison
import ProtocolBuffers
import RecordService
import RecordStore
import SQLite
import SQLiteLog
import SQLiteRecordStore
import Settings
import SubscriptionMatcher
import Telemetry

/// Opens the stores and logs of roles.
enum Backends {
    /// The topics of a container's environment.
    /// - Parameter isOnKafka: nil where the settings say so. Devices have no topics on the embedded log, which no tool
    ///   of Kafka reads.
    static func layout(
        _ configuration: Configuration, _ scope: ContainerEnvironment, isOnKafka: Bool? = nil
    ) -> TopicLayout {
        TopicLayout(
            scope, partitions: Int32(configuration.partitions), retention: configuration.retention,
            feedTopics: configuration.feedTopics && isOnKafka ?? !configuration.bootstrapServers.isEmpty)
    }

    /// The follower of the journals of a container's environment, with a view of them: the embedded log serves it itself,
    /// and of Kafka there is a copy in the data folder.
    static func journalTail(
        _ configuration: Configuration, _ layout: TopicLayout, on log: any EventLog, news: FeedWakeups
    ) throws -> JournalTail {
        try Files.makeFolder(configuration.data)
        let file = "\(configuration.data)/\(layout.scope).journals.sqlite"
        let view: any KeyedView
        if let embedded = log as? SQLiteLog {
            // Earlier versions made a copy there, too.
            for end in ["", "-wal", "-shm"] { try Files.remove(file + end) }
            view = embedded.keyedView()
        } else {
            view = try SQLiteKeyedView(path: file)
        }
        return JournalTail(
            log, layout: layout, view: view,
            listener: JournalTail.Listener(arrived: { news.arrived($0) }, missed: news.missed))
    }

    /// The store of a container's environment: a file in the data folder. This function chooses the backend.
    static func store(
        _ configuration: Configuration, _ scope: ContainerEnvironment, role: StoreRole
    ) throws -> any RecordStore {
        let path = "\(configuration.data)/\(scope).sqlite"
        if role == .visitor, !Files.exists(path) {
            throw SettingsError("there is no store in '\(configuration.data)'; give the service's folder with --data")
        }
        try Files.makeFolder(configuration.data)
        let counting = UsageCount { body in
            (try? RecordMessage(decoding: body).record()).map { ($0.created.user, $0.assetBytes) }
        }
        return try SQLiteRecordStore(
            SQLiteConfiguration(path: path), role: role, counting: role == .owner ? counting : nil)
    }

    /// Returns true if a record-service, which publishes what others write, has the store of a container's environment.
    static func isServed(_ configuration: Configuration, _ scope: ContainerEnvironment) -> Bool {
        SQLiteRecordStore.isOwned(SQLiteConfiguration(path: "\(configuration.data)/\(scope).sqlite"))
    }

    /// Returns true if a container's environment has a store.
    static func hasStore(_ configuration: Configuration, _ scope: ContainerEnvironment) -> Bool {
        Files.exists("\(configuration.data)/\(scope).sqlite")
    }

    /// The bytes of a container's environment's assets, in a place that environments share.
    static func assets(
        _ configuration: Configuration, _ scope: ContainerEnvironment, in place: AssetPlace, role: StoreRole = .owner
    ) throws -> any AssetStore {
        try place.store(scope, spool: "\(configuration.data)/assets-incoming", role: role)
    }

    /// The embedded log: a file in the data folder.
    static func embeddedLog(_ configuration: Configuration) throws -> SQLiteLog {
        try Files.makeFolder(configuration.data)
        return try SQLiteLog(SQLiteConfiguration(path: "\(configuration.data)/log.sqlite"))
    }

    /// The log on Kafka.
    static func kafka(_ configuration: Configuration) throws -> KafkaLog {
        guard !configuration.bootstrapServers.isEmpty else {
            throw SettingsError("--bootstrap-servers (or KAFKA_BOOTSTRAP_SERVERS) says where Kafka is")
        }
        return try KafkaLog(
            KafkaLogConfiguration(
                bootstrapServers: configuration.bootstrapServers, properties: configuration.kafkaProperties,
                replicationFactor: configuration.replicationFactor,
                statisticsInterval: .seconds(configuration.kafkaStatisticsSeconds)))
    }

    /// Opens the file in which a stage notes what it works on. A process whose folder cannot be written works without,
    /// and says so.
    static func crashMarks(_ configuration: Configuration) -> CrashMarks? {
        let folder = configuration.crashMarks.isEmpty ? "\(configuration.data)/crash-marks" : configuration.crashMarks
        do {
            try Files.makeFolder(folder)
            return try CrashMarks(folder: folder)
        } catch {
            Log.warning("crash-marks.failed", ["error": "\(error)"])
            return nil
        }
    }

    /// Returns where a matcher keeps its table of subscriptions for its next start.
    static func tableSnapshots(_ configuration: Configuration) -> TableSnapshots {
        let folder =
            configuration.tableSnapshots.isEmpty
            ? "\(configuration.data)/table-snapshots" : configuration.tableSnapshots
        return TableSnapshots(folder: folder, now: Timestamp.wallClock)
    }

    /// Returns the path of the push-log of a sender with this data folder.
    static func pushLog(_ configuration: Configuration, _ scope: ContainerEnvironment) -> String {
        "\(configuration.data)/\(scope).push-log.sqlite"
    }

    /// Returns the ledgers of entries that are set aside, one for each container's environment.
    static func poison(_ configuration: Configuration, _ log: any EventLog, _ marks: CrashMarks?) -> [PoisonLedger] {
        configuration.scopes.map {
            PoisonLedger(log: log, layout: layout(configuration, $0), marks: marks, now: Timestamp.wallClock)
        }
    }

    /// The key ring of tokens. `mayMake` lets the first start make it; two processes must not both.
    static func keys(_ configuration: Configuration, mayMake: Bool) throws -> KeyRing {
        let path = keyFile(configuration)
        if mayMake, !Files.exists(path) {
            try Files.makeFolder(configuration.data)
            try KeyRing.generate().save(file: path)
        }
        return try KeyRing.following(file: path)
    }

    /// Takes on what `fanfare secrets` changes in the key ring's file, within a second, until the task is cancelled.
    static func follow(_ keys: KeyRing) async {
        while true {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            do {
                if try keys.refresh() { Log.info("keys.changed", ["current": keys.currentName]) }
            } catch {
                Log.error("keys.refresh.failed", ["error": "\(error)"])
            }
        }
    }

    /// Returns the path of the key ring.
    static func keyFile(_ configuration: Configuration) -> String {
        configuration.tokenKeyFile.isEmpty ? "\(configuration.data)/token.keys" : configuration.tokenKeyFile
    }
}
