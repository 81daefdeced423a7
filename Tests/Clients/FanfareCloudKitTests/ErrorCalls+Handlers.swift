import Foundation

@testable import FanfareCloudKit

extension ErrorCalls {
    /// The calls with several items once more, in the forms that give their results to a handler.
    var handlers: [String: @Sendable () async throws -> Outcome] {
        [
            "`records(for:)`": { @Sendable [database] in
                let results = await Self.given { database.fetch(withRecordIDs: Self.records, completionHandler: $0) }
                return Self.results(try results.get())
            },
            "`modifyRecords(saving:deleting:)`": { @Sendable [database] in
                let results = await Self.given {
                    database.modifyRecords(
                        saving: Self.new(Self.records), deleting: [], atomically: false, completionHandler: $0)
                }
                return Self.results(try results.get().saveResults)
            },
            "`recordZones(for:)`": { @Sendable [database] in
                let results = await Self.given { database.fetch(withRecordZoneIDs: Self.zones, completionHandler: $0) }
                return Self.results(try results.get())
            },
            "`modifyRecordZones(saving:deleting:)`": { @Sendable [database] in
                let results = await Self.given {
                    database.modifyRecordZones(saving: [], deleting: Self.zones, completionHandler: $0)
                }
                return Self.results(try results.get().deleteResults)
            },
            "`subscriptions(for:)`": { @Sendable [database] in
                let results = await Self.given {
                    database.fetch(withSubscriptionIDs: Self.subscriptions, completionHandler: $0)
                }
                return Self.results(try results.get())
            },
            "`modifySubscriptions(saving:deleting:)`": { @Sendable [database] in
                let results = await Self.given {
                    database.modifySubscriptions(saving: [], deleting: Self.subscriptions, completionHandler: $0)
                }
                return Self.results(try results.get().deleteResults)
            },
        ].merging(userHandlers) { own, _ in own }
    }

    private var userHandlers: [String: @Sendable () async throws -> Outcome] {
        [
            "`shareMetadatas(for:)`": { @Sendable [container] in
                let results = await Self.given {
                    container.fetchShareMetadatas(for: Self.links, completionHandler: $0)
                }
                return Self.results(try results.get())
            },
            "`accept(_:)` of several": { @Sendable [container, shares] in
                let results = try await Self.given { container.accept(shares, completionHandler: $0) }.get()
                return Self.results(Dictionary(uniqueKeysWithValues: results.map { ($0.shortGUID, $1) }))
            },
            "`shareParticipants(for…:)`": { @Sendable [container] in
                let results = await Self.given {
                    container.fetchShareParticipants(forEmailAddresses: Self.addresses, completionHandler: $0)
                }
                return Self.results(try results.get())
            },
            "`userIdentities(for…:)`": { @Sendable [container] in
                let found = await Self.given {
                    container.discoverUserIdentities(forEmailAddresses: Self.addresses, completionHandler: $0)
                }
                return .results(try found.get().mapValues { _ in nil })
            },
        ]
    }

    /// The result that a call gives to its handler.
    private static func given<Value>(
        _ call: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            call { result in
                // The handler is called once, and nothing else has the result.
                nonisolated(unsafe) let result = result
                continuation.resume(returning: result)
            }
        }
    }
}
