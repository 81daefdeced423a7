import CloudModel
import HTTPServer
import Identity
import RecordService

/// The page of a share, whose link its owner sends to participants: the share, its owner, and a button that accepts it
/// in a browser.
struct ShareMount: Mount {
    static let path: PathPattern = "/share/1/{container}/{environment}/{shortGUID}"
    /// The form's item with the right to accept.
    static let ticket = "ticket"

    var routes: [Route] {
        [
            Route(
                "share", title: "the page of a share", path: Self.path, methods: ["GET", "POST"],
                admit: { head, _ in .body(maximumBytes: head.method == "POST" ? SignInMount.formBytesMax : 0) },
                work: .later { request, visit in
                    do {
                        let (scope, guid) = (try visit.servedScope(), visit["shortGUID"] ?? "")
                        return try await request.method == "POST"
                            ? accept(request, guid, scope) : page(guid, scope)
                    } catch let error as CloudError {
                        return SignInPages.failure(error, title: "This share cannot be accepted").response(
                            status: error.code.httpStatus)
                    }
                })
        ]
    }

    /// The address of the page of a share.
    static func address(of guid: String, _ scope: APIScope, asSeenBy head: HTTPRequestHead) -> String {
        "\(scope.url(asSeenBy: head))/share/1/\(scope.scope.container)/\(scope.scope.environment)/\(guid)"
    }

    /// The page for an unknown reader. A share that is not open to everybody looks like one that there
    /// is not.
    private func page(_ guid: String, _ scope: APIScope) async throws -> HTTPResponse {
        let preview = try await scope.records.sharePreview(guid, for: nil)
        return SharePages.invitation(preview, guid: guid, scope: scope.scope, canSignIn: scope.pageSignIn != nil)
            .response()
    }

    /// The page for a user who has just signed in for it.
    static func page(of guid: String, for user: UserRecordName, _ scope: APIScope) async throws -> HTTPResponse {
        guard let preview = try await scope.records.sharePreview(guid, for: user) else {
            return SharePages.nothing.response(status: 404)
        }
        let ticket = scope.signIns?.sealAcceptance(of: guid, by: user, in: scope.scope, at: scope.identity.now())
        return SharePages.decision(preview, guid: guid, scope: scope.scope, ticket: ticket ?? "").response()
    }

    /// Accepts for the user to whom the page was shown.
    private func accept(_ request: HTTPRequest, _ guid: String, _ scope: APIScope) async throws -> HTTPResponse {
        guard let signIns = scope.signIns, let form = request.formItems,
            let ticket = form.first(where: { $0.name == Self.ticket })?.value
        else { throw CloudError.badRequest("the body is no form of this page") }
        try PageOrigin.check(request, scope)
        let user = try signIns.acceptingUser(ticket, of: guid, in: scope.scope, at: scope.identity.now())
        // A user who was blocked or removed since begins no session.
        _ = try await scope.identity.beginSession(of: user, isBrief: true)
        _ = try await scope.records.acceptShares([guid], for: Caller(user: user))[0].get()
        guard let preview = try await scope.records.sharePreview(guid, for: user) else {
            return SharePages.nothing.response(status: 404)
        }
        return SharePages.decision(preview, guid: guid, scope: scope.scope, ticket: "").response()
    }
}
