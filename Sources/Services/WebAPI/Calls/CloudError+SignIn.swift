import CloudModel
import HTTPServer
import TextForms

extension CloudError {
    /// The error with the URL of the sign-in page, if a user who signs in there may repeat the request
    /// (docs/cloudkit.md#errors). It carries a web page's origin: the session is handed to no other.
    func leadingToSignIn(_ head: HTTPRequestHead, _ scope: APIScope) -> CloudError {
        guard code == .authenticationRequired, scope.pageSignIn != nil,
            let token = try? GivenCredentials(head).apiToken
        else { return self }
        var address = "\(scope.url(asSeenBy: head))/auth/1/\(scope.scope.container)/\(scope.scope.environment)/start?"
        address += PercentEncoding.form([SignInRequest.Name.apiToken: token])
        if let origin = head.headers["Origin"], origin != "null" {
            address += "&" + PercentEncoding.form([SignInRequest.Name.origin: origin])
        }
        var error = self
        error.redirectURL = address
        return error
    }
}
