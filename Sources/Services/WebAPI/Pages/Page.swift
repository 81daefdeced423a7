import HTTPServer

/// A page for people: a card with a heading, in the reader's light or dark.
struct Page: Sendable {
    /// The heading, and the name of the window.
    var title: String
    var content: HTML
    /// The script that the page runs, of those in `PageFiles`; it reads data from attributes, never from its own text.
    var script: String?

    /// The rules for browsers: our own style, scripts and icon are loaded and nothing else, and no frame may show the
    /// page. Targets of forms are not restricted: browsers apply that to redirections of a form, and a provider
    /// redirects its users as it likes.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// The headers of every page.
    static let headers = [
        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
        ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        // A form's browser says where it comes from, to this service alone.
        ("Referrer-Policy", "same-origin"),
    ]

    /// An address of the service's as pages name it: from the page up, as `public-url` may have a path that only a
    /// proxy knows. All pages are four steps below the service's own address (`auth/1/CONTAINER/ENVIRONMENT/…`,
    /// `share/1/…`).
    static func address(_ path: String) -> String { "../../../../\(path)" }

    func response(status: Int = 200, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: Self.headers + headers, body: .bytes(Array(html.text.utf8)))
    }

    private var html: HTML {
        let script: HTML? = self.script.map { "<script src=\"\(PageFiles.path($0))\" defer></script>\n" }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <link rel="icon" href="\(PageFiles.path("icon.svg"))">
            <link rel="stylesheet" href="\(PageFiles.path("pages.css"))">
            \(script)</head>
            <body>
            <main>
            <h1>\(title)</h1>
            \(content)
            </main>
            </body>
            </html>

            """
    }
}
