import Testing

/// Files that name the version beside the file VERSION.
@Suite("Version") struct VersionTests {
    @Test("VERSION is one line: three numbers, and what SemVer allows behind them")
    func form() throws {
        let text = try Repository.file("VERSION").text
        #expect(try text.wholeMatch(of: Regex(#"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-[0-9a-z.]+)?\n"#)) != nil, "\(text)")
    }

    @Test("the JavaScript client has this version")
    func javaScript() throws {
        let version = try Repository.file("VERSION").lines[0]
        let client = try Repository.file("Clients/JavaScript/fanfare.js")
        expectNone(
            client.lines.contains("const version = '\(version)';")
                ? []
                : [Violation(path: client.path, remedy: "version is not \(version) of the file VERSION: correct it")])
    }

    @Test("the chart runs the image of this version")
    func chart() throws {
        let version = try Repository.file("VERSION").lines[0]
        let chart = try Repository.file("deploy/helm/fanfare/Chart.yaml")
        expectNone(
            chart.lines.contains("appVersion: \"\(version)\"")
                ? []
                : [Violation(path: chart.path, remedy: "appVersion is not \(version) of the file VERSION: correct it")])
    }
}
