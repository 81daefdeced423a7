import Console
import Settings

extension SettingGroup {
    /// The settings of the console and of operators.
    static let consoleSettings: [Setting<Configuration>] = [
        Setting(
            "console", \.console.console,
            "where browsers find the console: 'off', 'public' on the API's port below /console/, or HOST:PORT, a listener of its own with the console and the API; for 'fanfare dev' on this machine alone 'public' when absent"
        ) { place in
            ["off", "public"].contains(place) || Address(place) != nil
                ? nil : "is off, public or HOST:PORT, such as 127.0.0.1:8090, not '\(place)'"
        },
        Setting(
            "console-url", \.console.url,
            "where browsers reach the console's own listener, with the addresses of its sign-in pages and assets; needed where other machines reach it"
        ) { url in
            let isURL = (url.hasPrefix("https://") || url.hasPrefix("http://")) && !url.hasSuffix("/")
            return url.isEmpty || isURL ? nil : "begins with https:// and does not end with a slash, not '\(url)'"
        },
        Setting(
            "operators", \.console.operators,
            "the people that look after the service with the console: verified addresses or ISSUER#SUBJECT of oidc-issuer with a role, several by commas, as anna@example.com=operator,ben@example.com=viewer; a viewer reads alone; ROLE:CONTAINER or ROLE:CONTAINER/ENVIRONMENT is a right there alone"
        ) { operators in
            operators.first { OperatorList.entry($0) == nil }
                .map {
                    "has '\($0)', which is not ADDRESS=ROLE, ADDRESS=ROLE:CONTAINER or ADDRESS=ROLE:CONTAINER/ENVIRONMENT, with the role operator or viewer"
                }
        },
        Setting(
            "operators-claim", \.console.operatorsClaim,
            "the claim of ID tokens that has the role operator or viewer, for people with a verified address that operators does not name"
        ),
        Setting(
            "operator-token-file", \.console.operatorTokenFile,
            "a file whose first line is a token of 32 characters or more that may do all that an operator may, for scripts and emergencies; 'fanfare dev' makes one in its data folder when absent"
        ),
        Setting(
            "console-read-only", \.console.isReadOnly,
            "whether the listener with the console refuses all that changes something, for users and operators; signing in and out stays"
        ),
        Setting(
            "console-files", \.console.files,
            "a folder with the console's files in place of the program's own, for work on them; on this machine alone"
        ),
    ]
}
