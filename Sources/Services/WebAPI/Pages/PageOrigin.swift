import CloudModel
import HTTPServer
import Identity

/// The origin of a form: what a button does is done for a reader of our own page alone, who has seen what it says.
enum PageOrigin {
    /// Refuses forms of other pages, and of programs that say nothing of a page.
    static func check(_ request: HTTPRequest, _ scope: APIScope) throws(CloudError) {
        if let site = request.headers["Sec-Fetch-Site"], site == "same-origin" { return }
        let own = try APIToken.origin(origin(of: scope.url(asSeenBy: request.head)))
        guard request.headers["Sec-Fetch-Site"] == nil, request.headers["Origin"] == own else {
            throw CloudError(.accessDenied, "the form was sent from another page than this service's own")
        }
    }

    /// The beginning of an address, to the end of its host and port.
    static func origin(of address: String) -> String {
        let host = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        return String(address[..<(address[host...].firstIndex { "/?#\\".contains($0) } ?? address.endIndex)])
    }
}
