import CloudModel
import HTTPServer

/// The word of a browser on the page that makes a request (`Sec-Fetch-Site`).
enum FetchSite {
    /// Refuses requests of pages that are not the console's own. Programs send no such header.
    /// - Throws: `ACCESS_DENIED`.
    static func check(_ head: HTTPRequestHead) throws(CloudError) {
        for site in head.headers.values("Sec-Fetch-Site") where !["same-origin", "none"].contains(site) {
            throw CloudError(.accessDenied, "the request comes from a page of another origin ('\(site.prefix(40))')")
        }
    }
}
