import CloudMessages
import CloudModel

/// The values of all settings.
struct Configuration: Sendable {
    var containers = ["iCloud.com.example.Gallery"]
    var data = "fanfare-data"
    var listen = "127.0.0.1:8080"
    var internalListen = "127.0.0.1:8081"
    var bootstrapServers = ""
    var partitions = Int(TopicLayout.partitionsDefault)
    var replicationFactor = 0
    var changesRetentionDays = 30
    var deliveriesRetentionDays = 7
    var feedsRetentionDays = 90
    var tokenKeyFile = ""
    var allowsDevelopmentSignIn = false
    var apiToken = ""
    var productionAPIToken = ""
    var oidcIssuer = ""
    var oidcAudience = ""
    var areUsersDiscoverable = true
    var environments = CloudEnvironment.allCases.map(\.rawValue)
    var sessionDaysMax = 90
    var assetsFolder = ""
    var publicURL = ""
    var webAuthTokenHours = 336
    var tombstoneRetentionDays = 90
    var cloudKitPredicates: [String] = []
    var subscriptionsMax = Limits.subscriptionsDefaultMax
    var bodyMebibytesMax = Limits.requestBodyBytesDefaultMax >> 20
    var bodiesMebibytesMax = 128
    var connectionsMax = 12_000
    var frontDoor = FrontDoorConfiguration()
    var quotas = QuotaConfiguration()
    var tlsCertificate = ""
    var tlsKey = ""
    var stages = ["match", "deliver"]
    var crashMarks = ""
    var logLevel = "info"
    var configFile = ""

    var url = ""
    var container = ""
    var environment = CloudEnvironment.development.rawValue
    var database = DatabaseScope.public.description
    var user = ""
    var webAuthToken = ""
    var device = ""
    var tokenFile = ""
    var output = ""
    var format = OutputFormat.json
    var fromStart = false
    var untilCaughtUp = false
    var limit = 0
    var type = ""
    var recordName = ""
    var references: [String] = []
    var rate = 100.0
    var seconds = 10
    var subscribers = 10
    var patienceSeconds = 30
    var expected = ""
    var isJSON = false
    var note = ""
    var origins: [String] = []
    var privateKeyFile = ""
    var isMarkdown = false
    var isApplied = false
    var right = ""
    var role = ""
    var isRevoked = false

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
