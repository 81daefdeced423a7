import CloudModel
import Identity

/// The pages of a sign-in.
enum SignInPages {
    /// The page with the choices of a sign-in. It shows the receiver of the session: pressing a button agrees.
    static func start(
        _ request: SignInRequest, _ offer: IdentityService.PageSignIn, _ scope: ContainerEnvironment
    ) -> Page {
        let hidden = HTML(
            request.items.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" })
        let goes: HTML? = request.origin.map {
            "<p class=\"note\">The app at <strong>\($0)</strong> will be able to read and change your data here.</p>\n"
        }
        let isOperator = request.items.contains { $0.name == SignInRequest.Name.isOperator }
        let keep: HTML =
            isOperator
            ? ""
            : "<label class=\"check\"><input type=\"checkbox\" name=\"\(SignInRequest.Name.keep)\" value=\"1\" checked> Keep me signed in</label>\n"
        let provider: HTML? = offer.providerHost.map { host in
            """
            <form method="post">
            \(hidden)\(keep)<button>Continue with \(host)</button>
            </form>

            """
        }
        let name: HTML? =
            offer.takesNames && !isOperator
            ? """
            <form method="post">
            \(hidden)<label for="user">Name</label>
            <input type="text" id="user" name="\(SignInRequest.Name.user)" required maxlength="255" autocomplete="username">
            \(keep)<button\(offer.providerHost == nil ? "" : " class=\"second\"" as HTML)>Sign in by name</button>
            </form>
            <p class="quiet">A name is enough in the development environment alone.</p>

            """ : nil
        let look: HTML? =
            isOperator ? "<p class=\"note\">You sign in as an operator of this service.</p>\n" : nil
        let or: HTML? = provider != nil && name != nil ? "<p class=\"or\">or</p>\n" : nil
        return Page(
            title: "Sign in",
            content: "<p>\(container(scope))</p>\n\(goes)\(look)\(provider)\(or)\(name)", script: nil)
    }

    /// The container that everything is about.
    static func container(_ scope: ContainerEnvironment) -> HTML {
        let tag: HTML? = scope.environment == .development ? " <span class=\"tag\">development</span>" : nil
        return "<strong>\(scope.container.rawValue)</strong>\(tag)"
    }

    /// The page that hands the token to the one that opened it.
    static func handOver(_ token: String, to origin: String) -> Page {
        Page(
            title: "You are signed in",
            content: """
                <p id="result" data-token="\(token)" data-origin="\(origin)">This window closes by itself.</p>
                <p id="alone" class="note" hidden>The page at <strong>\(origin)</strong> is no longer there to take the sign-in. Go back to it and sign in again.</p>
                <noscript><p class="warning">Without scripts the page that you came from gets no answer. Allow them for this page, and sign in again.</p></noscript>
                """, script: "sign-in.js")
    }

    /// The page that hands a text to the page of the console that waits on a channel.
    /// - Parameter name: the member of the message that has the text.
    static func handOver(_ name: String, _ text: String, onChannel channel: String) -> Page {
        Page(
            title: "You are signed in",
            content: """
                <p id="result" data-name="\(name)" data-token="\(text)" data-channel="\(channel)">Close this window, and go on in the console.</p>
                <noscript><p class="warning">Without scripts the console gets no answer. Allow them for this page, and sign in again.</p></noscript>
                """, script: "sign-in.js")
    }

    /// The page for a program that no page opened.
    static func show(_ token: String) -> Page {
        Page(
            title: "You are signed in",
            content: """
                <p>A program that asked you to sign in takes this as its <strong>ckWebAuthToken</strong>. Give it to nobody else: whoever has it is you.</p>
                <label for="token">Web auth token</label>
                <textarea id="token" rows="6" readonly spellcheck="false">\(token)</textarea>
                """, script: nil)
    }

    /// A reason as a sentence of its own.
    private static func sentence(_ reason: String) -> String {
        reason.prefix(1).uppercased() + reason.dropFirst() + "."
    }

    /// The page of an error.
    static func failure(_ error: CloudError, title: String = "This did not work") -> Page {
        Page(
            title: title,
            content: """
                <p class="warning" role="alert">\(sentence(error.reason))</p>
                <p class="quiet">\(error.code.rawValue)</p>
                """, script: nil)
    }
}
