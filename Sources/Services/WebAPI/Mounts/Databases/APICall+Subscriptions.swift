import CloudJSON
import CloudModel
import Feeds
import HTTPServer
import JSON
import RecordService

extension APICall {
    /// Bytes of changes that the tests of a request look at.
    func bytesOfTests() -> Int {
        let operations = parsedBody?["operations"]?.array ?? []
        let readsChanges = operations.contains {
            $0["operationType"]?.string == "test" && $0["parseOnly"] != true
        }
        return readsChanges ? Limits.testBytesMax : 0
    }

    /// Bytes of the caller's subscriptions; few are added meanwhile.
    func bytesOfSubscriptions() async throws -> Int {
        try await scope.records.subscriptionBytes(in: database, for: caller)
    }

    func modifySubscriptions() async throws -> HTTPResponse {
        let body = try body()
        let operations = try SubscriptionDecoding.operations(body)
        let areNumbersStrings = try body["numbersAsStrings"]?.bool() ?? false
        var placed: [SubscriptionOperation] = []
        for operation in operations { placed.append(try await withTime(operation)) }
        let results = try await scope.records.modifySubscriptions(placed, in: database, for: caller)
        return JSONResponse.make([
            "subscriptions": .array(
                results.map { SubscriptionEncoding.result($0, numbersAsStrings: areNumbersStrings) })
        ])
    }

    /// The operation with the time of the change token that it starts from, if it does.
    private func withTime(_ operation: SubscriptionOperation) async throws -> SubscriptionOperation {
        guard let user = caller.user else { return operation }
        func placed(_ draft: SubscriptionDraft) async throws -> SubscriptionDraft {
            guard case .changeToken(let token) = draft.startingFrom else { return draft }
            var draft = draft
            if let place = try scope.records.startingPlace(at: token, in: database, for: user) {
                draft.startingFrom = place
            } else {
                draft.startingFrom = .time(try await scope.feeds.time(at: token, of: user))
            }
            return draft
        }
        do {
            switch operation {
            case .create(let draft): return .create(try await placed(draft))
            case .test(let draft, let trial): return .test(try await placed(draft), trial)
            case .update, .delete, .unreadable: return operation
            }
        } catch let error as CloudError {
            return .unreadable(operation.id, error)
        }
    }

    func listSubscriptions() async throws -> HTTPResponse {
        _ = try bodyIfAny()
        let subscriptions = try await scope.records.listSubscriptions(in: database, for: caller)
        return JSONResponse.make(["subscriptions": .array(subscriptions.map(SubscriptionEncoding.subscription))])
    }

    func lookUpSubscriptions() async throws -> HTTPResponse {
        let ids = try SubscriptionDecoding.ids(try body())
        let results = try await scope.records.lookUpSubscriptions(ids, in: database, for: caller)
        return JSONResponse.make(["subscriptions": .array(results.map { SubscriptionEncoding.result($0) })])
    }
}
