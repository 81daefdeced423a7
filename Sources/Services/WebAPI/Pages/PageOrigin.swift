import CloudModel
import HTTPServer
import Identity

/// The origin of a form: a button acts only for a reader of our own page, with its text in view.
enum PageOrigin {
    /// Refuses forms of other pages, and of programs that say nothing of a page.
    static func check(_ request: HTTPRequest, _ scope: APIScope) throws(CloudError) {
        if let site = request.headers["Sec-Fetch-Site"], site == "same-origin" { return }
        let own = try APIToken.origin(APIToken.beginning(of: scope.url(asSeenBy: request.head)))
        guard request.headers["Sec-Fetch-Site"] == nil, request.headers["Origin"] == own else {
            throw CloudError(.accessDenied, "the form was sent from another page than this service's own")
        }
    }
}
