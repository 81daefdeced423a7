import CloudMessages
import CloudModel

/// The values of all settings: those of services, and a part for each group of flags that single commands take.
struct Configuration: Sendable {
    var containers = ["iCloud.com.example.Gallery"]
    var environments = CloudEnvironment.allCases.map(\.rawValue)
    /// Indicates whether a setting names the environments.
    var areEnvironmentsNamed = false
    var partitions = Int(TopicLayout.partitionsDefault)
    var feedTopics = true
    var changesRetentionDays = 30
    var deliveriesRetentionDays = 7
    var feedsRetentionDays = 90
    var tombstoneRetentionDays = 90
    var deviceSilenceDaysMax = 180
    var cloudKitPredicates: [String] = []
    var data = "fanfare-data"
    var assets = AssetConfiguration()
    var tokenKeyFile = ""
    var crashMarks = ""
    var tableSnapshots = ""
    var bootstrapServers = ""
    var replicationFactor = 0
    var kafkaStatisticsSeconds = 0
    var internalListen = "127.0.0.1:8081"
    var internalToken = ""
    var hostNames: [String] = []
    var tracing = TracingConfiguration()
    var apiToken = ""
    var productionAPIToken = ""
    var subscriptionsMax = Limits.subscriptionsDefaultMax
    var stages = ["match", "deliver", "feeds"]
    var logLevel = "info"
    var configFile = ""
    var server = ServerConfiguration()
    var signIn = SignInConfiguration()
    var frontDoor = FrontDoorConfiguration()
    var quotas = QuotaConfiguration()
    var continuity = ContinuityConfiguration()
    var push = PushConfiguration()
    var console = ConsoleConfiguration()

    var targeting = Targeting()
    var client = Client()
    var following = Following()
    var importing = Importing()
    var exporting = Exporting()
    var loading = Loading()
    var creating = Creating()
    var promoting = Promoting()
    var granting = Granting()
    var measuring = Measuring()
    var repairing = Repairing()
    var deletesOldFeeds = false
    var explaining = Explaining()
    var reading = Reading()
    var trying = Trying()
    var auditing = Auditing()
    var principals = Principals()
    var backup = Backup()
    var copyingAssets = CopyingAssets()
    var rotating = Rotating()
    var resealing = Resealing()
    var tryingPushes = TryingPushes()
    var removingCouriers = RemovingCouriers()
    var listingActions = ListingActions()
    var webhooks = Webhooks()
    var printing = Printing()

    /// librdkafka properties that are passed through, from `FANFARE_KAFKA_PROPERTY_…`.
    var kafkaProperties: [String: String] = [:]

    /// The retention of topics.
    var retention: Retention {
        Retention(
            changes: Retention.days(Int64(changesRetentionDays)),
            deliveries: Retention.days(Int64(deliveriesRetentionDays)),
            feeds: Retention.days(Int64(feedsRetentionDays)))
    }
}
