import Foundation

// What can change is guarded, as in the class above it.
/// Fetches a web auth token of the user's, for what speaks CloudKit Web Services.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The API token that the web auth token goes with.
    @CKGuarded open var apiToken: String? = nil
    /// Called with the token.
    @CKBlock open var fetchWebAuthTokenResultBlock: ((Result<String, any Error>) -> Void)? = nil
    /// Called with the token, in CloudKit's older form.
    @CKBlock open var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)? = nil

    /// An operation that fetches a token.
    public convenience init(apiToken: String) {
        self.init()
        self.apiToken = apiToken
    }

    override func run() async {
        do {
            try Task.checkCancellation()
            // A request renews the token, so that it lasts as long as it can.
            _ = try await target.session.call { try await $0.service.caller() }
            guard let token = try await target.session.shared.signedIn().service.webAuthToken else {
                throw CKError(.notAuthenticated, "nobody is signed in")
            }
            fetchWebAuthTokenResultBlock?(.success(token))
            fetchWebAuthTokenCompletionBlock?(token, nil)
        } catch {
            let error = CKError(error)
            fetchWebAuthTokenResultBlock?(.failure(error))
            fetchWebAuthTokenCompletionBlock?(nil, error)
        }
    }
}
