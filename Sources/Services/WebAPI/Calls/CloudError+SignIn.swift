import CloudModel
import HTTPServer
import TextForms

extension CloudError {
    /// The same error, with the address of the sign-in page if a user who signs in there may do what was asked (spec section
    /// 5.13). A web page's origin goes along: the session is handed to no other.
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
