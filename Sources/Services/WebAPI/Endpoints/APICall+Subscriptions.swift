import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func modifySubscriptions() async throws -> HTTPResponse {
        let results = try await scope.records.modifySubscriptions(
            try SubscriptionDecoding.operations(try body()), in: database, for: caller)
        return JSONResponse.make(["subscriptions": .array(results.map(SubscriptionEncoding.result))])
    }

    func listSubscriptions() async throws -> HTTPResponse {
        let subscriptions = try await scope.records.listSubscriptions(in: database, for: caller)
        return JSONResponse.make(["subscriptions": .array(subscriptions.map(SubscriptionEncoding.subscription))])
    }

    func lookUpSubscriptions() async throws -> HTTPResponse {
        let results = try await scope.records.lookUpSubscriptions(
            try SubscriptionDecoding.ids(try body()), in: database, for: caller)
        return JSONResponse.make(["subscriptions": .array(results.map(SubscriptionEncoding.result))])
    }
}
