import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func modifySubscriptions() async throws -> HTTPResponse {
        let operations = try SubscriptionDecoding.operations(try body())
        let hasTests = operations.contains { if case .test = $0 { true } else { false } }
        return try await large(hasTests ? Limits.testBytesMax : 0) {
            let results = try await scope.records.modifySubscriptions(operations, in: database, for: caller)
            return JSONResponse.make(["subscriptions": .array(results.map(SubscriptionEncoding.result))])
        }
    }

    func listSubscriptions() async throws -> HTTPResponse {
        // What is there by now; what comes in between is little.
        try await large(try await scope.records.subscriptionBytes(in: database, for: caller)) {
            let subscriptions = try await scope.records.listSubscriptions(in: database, for: caller)
            return JSONResponse.make(["subscriptions": .array(subscriptions.map(SubscriptionEncoding.subscription))])
        }
    }

    func lookUpSubscriptions() async throws -> HTTPResponse {
        let ids = try SubscriptionDecoding.ids(try body())
        return try await large(ids.count * Limits.subscriptionBytesMax) {
            let results = try await scope.records.lookUpSubscriptions(ids, in: database, for: caller)
            return JSONResponse.make(["subscriptions": .array(results.map(SubscriptionEncoding.result))])
        }
    }
}
