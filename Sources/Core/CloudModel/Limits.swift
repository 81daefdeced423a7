/// Every limit of the service in one place. `docs/limits.md` lists them for users; a test holds the two together.
///
/// Sources: docs/cloudkit.md#limits (CloudKit's documented figures) and docs/delivery.md (ours).
package enum Limits {
    /// Bytes of a request's body whose credentials are not known (yet).
    package static let unknownBodyBytesMax = 64 << 10
    /// Operations in one request, and records in one answer (PropertyMetrics).
    package static let operationsMax = 200
    /// Operations in one `records/modify` of a client that keeps CloudKit's limits for the framework (CKError 27).
    package static let frameworkOperationsMax = 400
    /// Bytes of one record without its assets, as encoded for the log (PropertyMetrics: 1 MB).
    package static let recordBytesMax = 1 << 20
    /// DELETE_SELF references to one record (PropertyMetrics).
    package static let deleteSelfReferencesMax = 750
    /// Records that one deletion may take with it.
    package static let cascadedDeletionsMax = 10000
    /// Depth of hierarchies: a record has at most this many ancestors, and deeper descendants of a shared record are
    /// not shared.
    package static let parentDepthMax = 100
    /// Records below those that a request moves which are looked at to keep `parentDepthMax`.
    package static let movedRecordsMax = 10000
    /// Bytes that one `records/modify` moves: records read, records saved, their changes as published, and rows of indexes
    /// (docs/decisions/0030).
    package static let movedBytesMax = 128 << 20
    /// The same of a request whose operations are saved together or not at all: others wait for all of it.
    package static let atomicBytesMax = 32 << 20
    /// Bytes after which a request goes on in another commit, so that others save in between.
    package static let stepBytes = 2 << 20
    /// Bytes that one request moves in the store at most, whatever it is: the last bound, where none of its own holds.
    package static let storeBytesMax = 256 << 20
    /// Bytes that a row of the store counts as: one of an index takes as long as so many bytes of a record.
    package static let rowBytes = 256
    /// Bytes that a word of a text counts as that queries find.
    package static let wordBytes = 64
    /// Bytes that a file in a record counts as in an answer, which gives it an address and a receipt.
    package static let assetAnswerBytes = 512
    /// Bytes of zones that `zones/list` answers, some 300 for each of a user's own and shared ones.
    package static let zonesBytesMax = 2 << 20
    /// Elements of lists and different words of texts by which queries find one record.
    package static let indexRowsMax = 20000
    /// References with VALIDATE or DELETE_SELF in one record: each is followed when it is saved.
    package static let followedReferencesMax = 1000
    /// Shares in one zone.
    package static let sharesPerZoneMax = 5000
    /// Participants of all shares of one zone together.
    package static let participantsPerZoneMax = 10000
    /// Shares that one user has accepted.
    package static let acceptedSharesMax = 5000
    /// Participants that one change of the shared database names: a change for more becomes several.
    package static let participantsPerChangeMax = 10000
    /// Characters of a record's, zone's, type's, field's or subscription's name.
    package static let nameCharactersMax = 255
    /// Characters of a container's name: topic names are made of it, and Kafka allows 249.
    package static let containerCharactersMax = 120
    /// Characters of a device's ID.
    package static let deviceCharactersMax = 64
    /// Characters of a device's name or platform, both for people only.
    package static let deviceNameCharactersMax = 255
    /// Fields named by a subscription's `additionalFields`.
    package static let additionalFieldsMax = 3
    /// Subscriptions of one user in one database, by default (a setting; docs/choices.md, 14).
    package static let subscriptionsDefaultMax = 1000
    /// Bytes of one subscription's condition and notification in the log's encoding: a hit carries the latter and up to
    /// three fields of a record, and has to fit into a message.
    package static let subscriptionBytesMax = 1 << 20
    /// Bytes of all subscriptions of a user in one database, for each that the user may have: `subscriptions/list` has
    /// them in one answer.
    package static let subscriptionBytesMean = 16 << 10
    /// Superseded versions and deletions of a user's subscriptions that are kept as long as changes are: matchers hold
    /// them in memory.
    package static let supersededVersionsMax = 10000
    /// Bytes of those.
    package static let supersededBytesMax = 16 << 20
    /// Devices of one user.
    package static let devicesPerUserMax = 100
    /// Addresses of pushes that a user may register on all devices.
    package static let pushAddressesPerUserMax = 20
    /// Bytes of a token of APNs at least.
    package static let apnsTokenBytesMin = 32
    /// Bytes of a token of APNs.
    package static let apnsTokenBytesMax = 100
    /// Bytes of the secret of a webhook at least.
    package static let webhookSecretBytesMin = 24
    /// Bytes of the secret of a webhook.
    package static let webhookSecretBytesMax = 64
    /// New devices and web couriers that a user may register at once: each is a topic of Kafka with `feed-topics`.
    package static let registrationsBurst = 150
    /// Seconds after which one more may be registered.
    package static let registrationSecondsEach = 60
    /// Records of a user's private database, by any creator.
    package static let privateRecordsMax = 1000000
    /// Bytes of those, as encoded.
    package static let privateBytesMax = 10 << 30
    /// Records that a user made in the public database.
    package static let publicRecordsMax = 1000000
    /// Bytes of those, as encoded.
    package static let publicBytesMax = 10 << 30
    /// Bytes of the files that those records hold, each field by itself.
    package static let userAssetBytesMax = 50 << 30
    /// Bytes that a user uploads within `assetGraceSeconds`.
    package static let uploadBytesMax = 20 << 30
    /// Bytes that a file counts at least among those.
    package static let uploadBytesMin = 64 << 10
    /// Addresses that a user was the first to invite.
    package static let invitedAddressesMax = 2000
    /// Record types, fields and conditions of subscriptions that development learns from one user.
    package static let schemaPartsMax = 10000
    /// Live shares of a user's zones together.
    package static let sharesPerUserMax = 20000
    /// Bytes of a text in CloudKit's schema language: ours, far more than a schema of 100,000 fields has.
    package static let schemaTextBytesMax = 16 << 20
    /// Record types that development learns from all users together.
    package static let schemaTypesMax = 10000
    /// Fields of all record types that development learns from all users together.
    package static let schemaFieldsMax = 100000
    /// Conditions of subscriptions that development learns from all users together.
    package static let schemaConditionsMax = 100000
    /// Fields that development learns of one record type.
    package static let fieldsPerTypeMax = 1000
    /// Custom zones of one user.
    package static let zonesPerUserMax = 1000
    /// Deletions of a user's zones that are remembered (for `tombstone-retention-days`) before further deletions have
    /// to wait: `changes/database` reads each.
    package static let zoneTombstonesMax = 10000
    /// Records in one page of a change feed, all zones of a request together, and the default (PropertyMetrics).
    package static let feedPageMax = 200
    /// Ended sessions of one user that are remembered one by one; of who ends more, all end.
    package static let endedSessionsMax = 100
    /// API tokens, server keys and users each whose standing is remembered between requests.
    package static let cachedIdentitiesMax = 10000
    /// Participants of one share (CloudKit's figure, the owner not counted).
    package static let participantsMax = 100
    /// Values of one list that a filter or a predicate compares with.
    package static let listFilterValuesMax = 1000
    /// Filters of one query.
    package static let filtersMax = 100
    /// Records that one request of `records/query` looks at; then its page is short.
    package static let queryRecordsScannedMax = 16 << 10
    /// Bytes of records that one request of `records/query` looks at; then its page is short.
    package static let queryBytesScannedMax = 64 << 20
    /// The most that a query may cost: its predicate's cost times the bytes of the records that one request looks at.
    /// Beyond it the page is short.
    package static let queryWorkMax = 1 << 30
    /// A caller without a user has this part of both.
    package static let queryPartWithoutUser = 4
    /// Bytes of records that a query may have to sort in memory.
    package static let queryBytesSortedMax = 256 << 20
    /// Records that a query may have to sort in memory.
    package static let queryRecordsSortedMax = 16 << 10
    /// Bytes of records after which a page of `records/query` is full.
    package static let queryPageBytesMax = 8 << 20
    /// Bytes of records in the answer to one `records/lookup`.
    package static let lookupBytesMax = 32 << 20
    /// Bytes of records after which a page of a zone's change feed is full.
    package static let feedPageBytesMax = 8 << 20
    /// Types that `desiredRecordTypes` names.
    package static let desiredTypesMax = 100
    /// Fields that `desiredKeys` of one request, or of one of its items, names.
    package static let desiredKeysMax = 1000
    /// Fields that `sortBy` of one query names.
    package static let sortsMax = 10
    /// Bytes of one text that a filter or a predicate compares with, in UTF-8.
    package static let operandBytesMax = 16 << 10
    /// Characters (Unicode scalars) of a predicate string.
    package static let predicateCharactersMax = 16 << 10
    /// Elements of `predicateArguments`.
    package static let predicateArgumentsMax = 1000
    /// Comparisons in one predicate string.
    package static let predicateComparisonsMax = 200
    /// Nesting of parentheses and NOT, and of AND, OR and NOT, in a predicate string: the tree has to be readable from
    /// a message with `MessageReader.depthMax` levels.
    package static let predicateDepthMax = 16
    /// The most that a subscription's predicate may cost: it runs on the changes of others. Counted by
    /// `Predicate.cost`.
    package static let predicateCostMax = 10000
    /// The most that all subscriptions of a user in one database may cost. Counted by `Subscription.standingCost`.
    package static let predicateCostOfUserMax = 20000
    /// Fields that a subscription's `changedKeys` names.
    package static let changedKeysMax = 20
    /// The latest changes of a database that a `test` of a subscription looks at.
    package static let testChangesMax = 1000
    /// Bytes of changes that a `test` of a subscription reads, in equal parts from its partitions.
    package static let testBytesMax = 16 << 20
    /// Tests in one request.
    package static let testsMax = 5
    /// The most that a request's tests may cost together: their predicates' cost times the bytes of the changes that
    /// they read. Each test starts with the latest changes and leaves out those over the limit.
    package static let testWorkMax = 1 << 30
    /// Requests whose long texts one service cuts into words at once, of one user one.
    package static let textThreadsMax = 2
    /// Requests of one user that wait for that.
    package static let textWaitersMax = 64
    /// Tests that one service runs at once, of one user one.
    package static let testThreadsMax = 2
    /// Seconds that a test waits for its turn.
    package static let testWaitSecondsMax = 30
    /// Changes that the answer of a `test` lists; it counts all.
    package static let testMatchesMax = 100
    /// Characters (Unicode scalars) of one pattern of LIKE: matching takes time by its length.
    package static let likePatternCharactersMax = 256
    /// Notifications in one page, and the default.
    package static let notificationsPageMax = 200
    /// Bytes of notifications, as their entries have them, after which a page is full.
    package static let notificationsPageBytesMax = 2 << 20
    /// Notification IDs in one `markRead`.
    package static let markReadMax = 200
    /// Seconds that `notifications/changes` may hold its answer.
    package static let waitSecondsMax = 60
    /// Bytes of a request's body (a setting's default; docs/http-api.md).
    package static let requestBodyBytesDefaultMax = 32 << 20
    /// Bytes of one message in any topic (docs/delivery.md: a change carries its record twice).
    package static let messageBytesMax = 4 << 20
    /// Bytes of one event of a stream of notifications: JSON writes a byte of a message
    /// (`messageBytesMax`) as up to six characters.
    package static let notificationEventBytesMax = 24 << 20
    /// Bytes of one file of a record (PropertyMetrics: 50 MB; UploadAssets has 15).
    package static let assetBytesMax = 50 << 20
    /// Uploads that one request asks addresses for (PropertyMetrics).
    package static let assetTokensMax = 200
    /// Seconds that an address takes an upload (UploadAssets: 15 minutes).
    package static let assetUploadSeconds = 900
    /// Used addresses that a process remembers at least, to refuse them before their body is read; twice that at most.
    package static let usedUploadsMax = 50000
    /// Bytes of an address that a sign-in hands a session to: the sealed attempt with it fits a cookie.
    package static let callbackBytesMax = 1024
    /// Used sign-ins that a process remembers at least, so that each is good once; twice that at most.
    package static let usedSignInsMax = 50000
    /// Sessions of operators, and codes for some, that a process knows at once; the oldest make room.
    package static let operatorSessionsMax = 1000
    /// Acts of operators that a store has on record; older ones are forgotten.
    package static let operatorActionsKept = 100000
    /// Bytes of a request of an operator.
    package static let operatorBodyBytesMax = 1 << 20
    /// Items of a page that an operator reads at once.
    package static let operatorPageMax = 1000
    /// Partitions whose first entry that is not done operators see the waits of; those that are behind most.
    package static let stageWaitsMax = 16
    /// Audits of operators that a process lists; the oldest make room.
    package static let auditsKept = 20
    /// Differences that a process keeps of one audit; more are counted.
    package static let auditFindingsKept = 1000
    /// Expected notifications that an audit in the service has in memory at once; more take more passes.
    package static let auditExpectedMax = 100000
    /// Bytes of subscriptions that an audit in the service has in memory at once; more take more passes.
    package static let auditSubscriptionBytesMax = 16 << 20
    /// Samples of each series that a process keeps for operators, an hour of them.
    package static let seriesSamplesKept = 360
    /// Keys of a kind in a key ring; rotating one more is refused.
    package static let keyRingKeysMax = 100
    /// Bytes of entries that the search for one notification's way reads.
    package static let wayBytesMax = 128 << 20
    /// Bytes of changes that a page of one record's history reads.
    package static let historyBytesMax = 32 << 20
    /// Users that a search for the owner of a notification's ID tries.
    package static let notificationUsersMax = 100000
    /// Codes of sign-ins that are exchanged at the identity provider at once.
    package static let codeExchangesMax = 8
    /// Those of one address.
    package static let codeExchangesOfAddressMax = 4
    /// Sign-ins of one address that wait for an exchange.
    package static let codeExchangesWaitingMax = 64
    /// Seconds that a sign-in waits for its exchange.
    package static let codeExchangePatienceSeconds = 10
    /// Seconds that an address of a download is good.
    package static let assetDownloadSeconds = 3600
    /// Seconds that a file without a reference is kept: longer than a receipt is good, and a download can take.
    package static let assetGraceSeconds = 172800
    /// Subscriptions of one user in one database whose backfill is under way.
    package static let backfillsOpenMax = 20
    /// Subscriptions with a backfill that a user creates in a day in all databases, deleted ones included.
    package static let backfillsPerDayMax = 1000
    /// Bytes of hits that a user's backfills make in one partition of changes in a day; the rest of the backfills is
    /// left out and counted.
    package static let backfillBytesPerDayMax = 16 << 20
    /// Bytes that an entry of `changes.*` counts as among those, which is read for the backfills of a user.
    package static let backfillEntryBytes = 8
    /// Bytes that a hit of a backfill counts as among those, if it has fewer: that much it takes in a journal or feed.
    package static let backfillHitBytes = 256
    /// Bytes, counted so, that the backfills of all users make in one partition of changes in a second.
    package static let backfillBytesPerSecond = 256 << 10
    /// Bytes of one user's delivery state; the oldest entries are dropped before it exceeds this (docs/delivery.md).
    package static let userStateBytesMax = 1 << 20
    /// Hits of one change for one user in a single `deliveries` entry; more are split over several entries.
    /// Part of the message version: changing it changes what a replay writes.
    package static let hitsPerEntryMax = 100
    /// Hits of one change that become notifications of a user; the rest becomes one entry with their number, and the
    /// client fetches. Part of the message version, as the three below: a replay has to write the same.
    package static let hitsPerChangeMax = 200
    /// Bytes of one user's hits of one change beside the first, as encoded for `deliveries` with what they have in
    /// common once; the rest only counts.
    package static let hitBytesPerChangeMax = 512 << 10
    /// Bytes of values that the outbox keeps of published rows, however short the time was: the oldest go first.
    package static let keptOutboxBytesMax = 64 << 20
    /// Bytes of a user's notifications of one change that no rate counts: to count them only would cost nearly as much.
    /// Part of the message version, as those below.
    package static let hitBytesFree = 512
    /// Seconds of a window in which stage 1 counts bytes of hits.
    package static let hitRateSeconds = 10
    /// Bytes of one user's hits that the changes in one partition make within `hitRateSeconds`.
    package static let hitBytesOfUserMax = 5 << 20
    /// Bytes of all users' hits that one user's changes in one partition make within `hitRateSeconds`.
    package static let hitBytesOfSaverMax = 64 << 20
    /// Bytes of notifications, each counted once however many devices get it, that a user gets in a second.
    package static let notificationBytesPerSecond = 512 << 10
    /// Bytes of notifications that a rested user gets at once.
    package static let notificationBytesBurst = 2 << 20
    /// Bytes of those in the feeds of all the user's devices together.
    package static let feedBytesBurst = 64 << 20
    /// Entries that the hits of one change may make in the feeds of one user's devices together: the devices share
    /// this, and each gets at least one notification of each change that fits into the limits of bytes.
    package static let feedEntriesPerChangeMax = 300
    /// Bytes that the hits of one change may make in the feeds of one user's devices together, but for `hitBytesFree`.
    package static let feedBytesPerChangeMax = 8 << 20
    /// Seconds for which a delivery policy gathers changes.
    package static let policyWindowSecondsMax = 86400
    /// Pushes in an hour that a delivery policy may name.
    package static let hourlyPushesMax = 60
    /// Policies that a user chooses on a device for single subscriptions.
    package static let chosenPoliciesMax = 50
    /// Bytes of those of one device, as encoded: they are part of the user's state.
    package static let devicePoliciesBytesMax = 2 << 10
    /// Changes of a device's distance from UTC that it names: two a year.
    package static let clockOffsetsMax = 20
    /// Changes that a held notification names; further ones are counted. Part of the message version, as those below: a
    /// replay has to hold and to deliver the same.
    package static let heldChangesMax = 1000
    /// Records that a delivery policy holds a notification of each of; beyond it the first one counts in the second.
    package static let heldRecordsMax = 20
    /// Bytes of a notification that is held with all that it shows.
    package static let heldNotificationBytesMax = 8 << 10
    /// Bytes of all that is held for a user; beyond it the notifications that are due first are delivered.
    package static let heldBytesMax = 128 << 10
    /// Seconds after which a held delivery is due at the latest: a window of a day, quiet hours, and a day more.
    package static let deliveryDelaySecondsMax = 259200
    /// Entries that wait in one partition of `deliveries` from which on no record of the public or a shared database is
    /// saved, as their hits may go to any partition: about 10 GB of hits of 1 KB.
    package static let deliveryBacklogMax = 10000000
    /// Characters of `alertBody` and of every other text in `notificationInfo`.
    package static let alertCharactersMax = 4096
    /// Arguments of one localised text in `notificationInfo`: a hit carries their values, each cut at
    /// `alertCharactersMax`, and has to fit into a message with them.
    package static let localizationArgsMax = 10
    /// Bytes of a push payload as JSON (APNs: 4 KB; docs/cloudkit.md#pruning).
    package static let pushPayloadBytesMax = 4096
    /// Characters of a text from a record in a push payload (docs/cloudkit.md#notificationinfo).
    package static let pushValueCharactersMax = 100
    /// IDs of read notifications in a push: the newest ones. The feed has all of them.
    package static let pushedReadMarksMax = 20
    /// Bytes of a push's collapse identifier (APNs).
    package static let collapseIDBytesMax = 64
    /// Web couriers of one user; one more takes the place of the one that was asked least recently.
    package static let couriersPerUserMax = 20
    /// Seconds that a web courier's address is good (docs/cloudkit.md#web-courier).
    package static let courierSeconds = 43200
    /// Seconds that a web courier holds its answer until something comes.
    package static let courierWaitSeconds = 30
}
