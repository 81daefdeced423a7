import CloudModel
import RecordService

/// The pages of a share.
enum SharePages {
    /// A page for visitors who may see nothing of the share.
    static let nothing = Page(
        title: "There is no such share",
        content: """
            <p>It may have ended, or you are not invited to it. If you were, sign in as the user whom the invitation names, or ask whoever sent it.</p>
            """, script: nil)

    /// The page before somebody signs in.
    static func invitation(
        _ preview: RecordService.SharePreview?, guid: String, scope: ContainerEnvironment, canSignIn: Bool
    ) -> Page {
        let address = Page.address("auth/1/\(scope.container.rawValue)/\(scope.environment.rawValue)/start")
        let next: HTML =
            canSignIn
            ? """
            <form method="get" action="\(address)">
            <input type="hidden" name="\(SignInRequest.Name.share)" value="\(guid)">
            <button>Sign in to open it</button>
            </form>
            """ : "<p class=\"warning\">Nobody signs in on a page of this service: open the share in its app.</p>"
        guard let preview else {
            return Page(
                title: "Something is shared with you",
                content: """
                    <p>in \(SignInPages.container(scope))</p>
                    <p>Its name and owner are shown to invited people only.</p>
                    \(next)
                    """, script: nil)
        }
        return Page(
            title: title(preview), content: "\(facts(preview, preview.publicPermission, scope))\n\(next)", script: nil)
    }

    /// The page for a user who has signed in.
    static func decision(
        _ preview: RecordService.SharePreview, guid: String, scope: ContainerEnvironment, ticket: String
    ) -> Page {
        let (permission, next): (Share.Permission, HTML) =
            switch preview.part {
            case .owner:
                (
                    .readWrite,
                    "<p class=\"note\">You are the owner: send this page's address to the participants.</p>"
                )
            case .participant(let permission, true):
                (
                    permission,
                    "<p class=\"note\" role=\"status\">You take part. Open the app: it is in your shared database.</p>"
                )
            case .participant(let permission, false): (permission, button(ticket, guid, scope))
            case .unknown: (preview.publicPermission, "")
            }
        return Page(title: title(preview), content: "\(facts(preview, permission, scope))\n\(next)", script: nil)
    }

    private static func button(_ ticket: String, _ guid: String, _ scope: ContainerEnvironment) -> HTML {
        let address = Page.address("share/1/\(scope.container.rawValue)/\(scope.environment.rawValue)/\(guid)")
        return """
            <form method="post" action="\(address)">
            <input type="hidden" name="\(ShareMount.ticket)" value="\(ticket)">
            <button>Accept</button>
            </form>
            """
    }

    private static func title(_ preview: RecordService.SharePreview) -> String {
        preview.title.flatMap { $0.isEmpty ? nil : $0 } ?? "Something is shared with you"
    }

    private static func facts(
        _ preview: RecordService.SharePreview, _ permission: Share.Permission, _ scope: ContainerEnvironment
    ) -> HTML {
        let names = [preview.owner.givenName, preview.owner.familyName].compactMap(\.self)
        let owner = names.isEmpty ? "a user without a name" : names.joined(separator: " ")
        let rights = permission == .readWrite ? "read and change it" : "read it"
        return """
            <dl>
            <dt>Shared by</dt><dd><strong>\(owner)</strong></dd>
            <dt>What</dt><dd>\(preview.isZone ? "a zone with all its records" : "a record, and the records below it")</dd>
            <dt>You may</dt><dd>\(rights)</dd>
            <dt>In</dt><dd>\(SignInPages.container(scope))</dd>
            </dl>
            """
    }
}
